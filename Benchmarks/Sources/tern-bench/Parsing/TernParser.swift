// SPDX-License-Identifier: Apache-2.0

internal import CHTTPParser
internal import TernEngine
internal import TernHTTP1

/// Tern's decoder as its client uses it. Each response gives a head that owns its bytes, checked and framed, then its
/// body as ranges, then its end; then the connection is asked whether it may be used again.
final class TernParser: ResponseParser {
    private var exchanges = InlineArray<16, Exchange> { _ in Exchange() }
    private var request: [UInt8] = []
    private let head = RequestHead(
        method: "GET", target: .origin("/"), origin: HTTPOrigin(scheme: .http, host: "localhost", port: 80), fields: [:]
    )

    func begin() throws {
        for index in exchanges.indices {
            request.removeAll(keepingCapacity: true)
            try exchanges[index].begin(head, body: .none, defaults: [:], into: &request)
        }
    }

    func read(_ bytes: [UInt8], _ tally: inout parsing_tally) throws {
        try Self.read(&exchanges, bytes.span, &tally)
    }

    /// One access to the connections for the whole batch: checking that each is exclusive is no part of parsing.
    private static func read(
        _ exchanges: inout InlineArray<16, Exchange>, _ bytes: Span<UInt8>, _ tally: inout parsing_tally
    ) throws {
        for index in exchanges.indices { try read(&exchanges[index], bytes, &tally) }
    }

    private static func read(_ exchange: inout Exchange, _ bytes: Span<UInt8>, _ tally: inout parsing_tally) throws {
        var offset = 0
        while true {
            switch try exchange.receive(bytes, from: &offset) {
            case .head(let head):
                tally.statuses &+= UInt64(head.status)
                tally.fields &+= UInt64(head.count)
            case .body(let range): tally.body_bytes &+= UInt64(range.count)
            case .end:
                tally.messages &+= 1
                if exchange.isReusable { tally.reusable &+= 1 }
                return
            case .needMoreBytes, .informational, .handedOver:
                throw ParsingFailed(message: "Tern found no whole response")
            }
        }
    }
}
