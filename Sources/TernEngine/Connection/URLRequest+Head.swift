// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

extension URLRequest {
    /// The head that a session of this configuration sends, byte for byte; of a file, as if its length were not known.
    package func encodedHead(_ configuration: SessionConfiguration) throws(InvalidRequest) -> [UInt8] {
        let settings = ExchangeSettings(configuration)
        var exchange = settings.newExchange
        var head: [UInt8] = []
        let framing: RequestBody
        switch content {
        case .none: framing = .none
        case .data(let data): framing = .exactly(data.count)
        case .stream(let length, _), .once(_, let length): framing = length.map { .exactly($0) } ?? .chunked
        case .file: framing = .chunked
        }
        try begin(&exchange, framing, defaults: settings.fields(for: Hop(request: self)), into: &head)
        return head
    }
}
