// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// The settings that all exchanges of a session share.
final class ExchangeSettings: Sendable {
    let limits: ParsingLimits
    let leniency: ParsingLeniency
    let maximumIdleTime: Duration
    let fields: HopFields

    init(
        limits: ParsingLimits = ParsingLimits(), leniency: ParsingLeniency = [],
        maximumIdleTime: Duration = .seconds(30), fields: HopFields = HopFields()
    ) {
        self.limits = limits
        self.leniency = leniency
        self.maximumIdleTime = maximumIdleTime
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
        let framing = body.map { RequestBodyFraming(length: $0.announcedLength) } ?? .none
        try begin(&exchange, framing, defaults: settings.fields.fields(for: Hop(request: self)), into: &head)
        return head
    }
}
