// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// The settings that all exchanges of a session share.
final class ExchangeSettings: Sendable {
    let limits: ParsingLimits
    let leniency: ParsingLeniency
    let maximumIdleTime: Duration
    /// How long after it was opened a connection begins its last exchange; nil for no limit.
    let maximumAge: Duration?
    /// The maximum number of exchanges on one connection.
    let maximumUses: Int
    /// Whether the owners of connections want to know whether servers are overloaded.
    let reportsLoad: Bool
    /// Who is told what becomes of connections; nil for nobody.
    let watcher: (any ConnectionWatcher)?
    let fields: HopFields

    init(
        limits: ParsingLimits = ParsingLimits(), leniency: ParsingLeniency = [],
        maximumIdleTime: Duration = .seconds(30), maximumAge: Duration? = nil, maximumUses: Int = .max,
        reportsLoad: Bool = false, watcher: (any ConnectionWatcher)? = nil, fields: HopFields = HopFields()
    ) {
        self.watcher = watcher
        self.limits = limits
        self.leniency = leniency
        self.maximumIdleTime = maximumIdleTime
        self.maximumAge = maximumAge
        self.maximumUses = maximumUses
        self.reportsLoad = reportsLoad
        self.fields = fields
    }

    /// An exchange on a new connection.
    var newExchange: Exchange { Exchange(limits: limits, leniency: leniency) }
}

extension URLRequest {
    /// The head of a first hop, byte for byte; for a file, as if its length were unknown.
    func encodedHead(_ settings: ExchangeSettings) throws(InvalidRequest) -> [UInt8] {
        var exchange = settings.newExchange
        var head: [UInt8] = []
        let framing = body == nil ? RequestBodyFraming.none : RequestBodyFraming(length: announcedContentLength)
        try begin(
            &exchange, framing, defaults: settings.fields.fields(for: Hop(request: self)),
            ofProxies: HopFields.ofProxies, into: &head)
        return head
    }
}

extension RequestBodyFraming {
    /// In chunks if the length is not known in advance.
    init(length: Int?) { self = length.map { .exactly($0) } ?? .chunked }
}
