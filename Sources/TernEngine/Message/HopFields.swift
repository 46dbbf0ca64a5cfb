// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// The fields that a session adds to its hops: to those that have no field of that name.
struct HopFields: Sendable {
    private struct Fields {
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

    /// The field that authenticates a request to the proxy that gets it whole (RFC 9110 §11.7.1). No origin gets it.
    static let ofProxies = "Proxy-Authorization"

    private let decodesContent: Bool
    private let plain: Fields
    private let decoding: Fields
    private let range: Fields

    /// - Parameters:
    ///   - fields: the fields for all hops.
    ///   - sensitive: those of them that only the first origin may get.
    ///   - decodesContent: for requests that do not say whether they want content decoded.
    init(
        _ fields: HeaderFields = [:], sensitive: SensitiveFields = SensitiveFields(), decodesContent: Bool = false
    ) {
        self.decodesContent = decodesContent
        plain = Fields(fields, sensitive)
        decoding = Fields(fields, sensitive, accepting: ContentCoding.acceptEncoding)
        range = Fields(fields, sensitive, accepting: "identity")
    }

    /// The fields to add to the request of `hop`.
    func fields(for hop: Hop) -> DefaultFields {
        let fields = fields(for: hop.request)
        if hop.mayCarryCredentials { return fields.all }
        // A field that a request marks as secret is secret, also when the session sets it.
        let isSecret = { (field: HeaderField) in hop.request.isSensitive(fieldNamed: field.name) }
        guard fields.harmless.fields.contains(where: isSecret) else { return fields.harmless }
        return DefaultFields(HeaderFields(fields.harmless.fields.filter { !isSecret($0) }))
    }

    @inline(__always)
    private func fields(for request: URLRequest) -> Fields {
        guard request.decodesContent ?? decodesContent else { return plain }
        // Ranges count the bytes as sent (RFC 9110 §14.1.2): part of a coded body could not be decoded.
        return request.headers.isEmpty || request.headers["Range"] == nil ? decoding : range
    }
}
