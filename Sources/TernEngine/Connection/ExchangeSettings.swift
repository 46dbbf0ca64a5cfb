// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// The settings that all exchanges of a session share.
final class ExchangeSettings: Sendable {
    /// Fields added to requests that have no field of that name.
    private struct Defaults {
        let all: DefaultFields
        /// The same for requests that may carry no credentials.
        let harmless: DefaultFields

        /// Fields that are meant for the task's first origin, and would mislead another.
        private static func speaksOfOrigin(_ name: String) -> Bool {
            ["host", "origin", "referer"].contains(name.lowercased())
        }

        init(_ fields: HeaderFields, _ sensitive: SensitiveFields, accepting codings: String? = nil) {
            var all = fields
            if let codings, all["Accept-Encoding"] == nil { all.append("Accept-Encoding", codings) }
            self.all = DefaultFields(all)
            harmless = DefaultFields(
                HeaderFields(all.filter { !sensitive.contains($0.name) && !Self.speaksOfOrigin($0.name) }))
        }
    }

    let limits: ParsingLimits
    let leniency: ParsingLeniency
    let maximumIdleTime: Duration
    private let decodesContent: Bool
    private let defaults: Defaults
    private let decodingDefaults: Defaults
    private let rangeDefaults: Defaults

    init(_ configuration: SessionConfiguration) {
        limits = configuration.limits
        leniency = configuration.leniency
        maximumIdleTime = configuration.maximumIdleTime
        decodesContent = configuration.decodesContent
        let (fields, sensitive) = (configuration.httpAdditionalHeaders, configuration.sensitiveFields)
        defaults = Defaults(fields, sensitive)
        decodingDefaults = Defaults(fields, sensitive, accepting: ContentCoding.acceptEncoding)
        rangeDefaults = Defaults(fields, sensitive, accepting: "identity")
    }

    /// The fields to add to the request of `hop`.
    func fields(for hop: Hop) -> DefaultFields {
        let defaults = defaults(for: hop.request)
        if hop.mayCarryCredentials { return defaults.all }
        // A field that a request marks as secret is secret, also when the session sets it.
        let isSecret = { (field: HeaderField) in hop.request.isSensitive(fieldNamed: field.name) }
        guard defaults.harmless.fields.contains(where: isSecret) else { return defaults.harmless }
        return DefaultFields(HeaderFields(defaults.harmless.fields.filter { !isSecret($0) }))
    }

    private func defaults(for request: URLRequest) -> Defaults {
        guard request.decodesContent ?? decodesContent else { return defaults }
        // Ranges count the bytes as sent (RFC 9110 §14.1.2): part of a coded body could not be decoded.
        return request.headers.isEmpty || request.headers["Range"] == nil ? decodingDefaults : rangeDefaults
    }

    /// An exchange on a new connection.
    var newExchange: Exchange { Exchange(limits: limits, leniency: leniency) }
}

extension URLRequest {
    /// The head that a session with this configuration sends, byte for byte; for a file, as if its length were unknown.
    package func encodedHead(_ configuration: SessionConfiguration) throws(InvalidRequest) -> [UInt8] {
        let settings = ExchangeSettings(configuration)
        var exchange = settings.newExchange
        var head: [UInt8] = []
        let framing = body.map { RequestBodyFraming(length: $0.announcedLength) } ?? .none
        try begin(&exchange, framing, defaults: settings.fields(for: Hop(request: self)), into: &head)
        return head
    }
}
