// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

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
