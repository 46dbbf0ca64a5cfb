// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import Testing

@testable import TernEngine

/// A request without a connection, driven as a connection drives it.
struct OutgoingDialogue: ~Copyable {
    enum Moment { case made, asked }

    var outgoing = OutgoingRequest()
    var exchange = Exchange()
    var outlet = MeteredByteSink()
    /// When the user's code has the request dropped, within a call.
    var dropsBeforeTaking: Moment?

    static func request(
        _ content: RequestBody?, _ change: (inout URLRequest) -> Void = { _ in }
    ) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: "http://example.com/")))
        request.httpMethod = "PUT"
        request.body = content
        change(&request)
        return request
    }

    mutating func begin(_ content: RequestBody?, _ change: (inout URLRequest) -> Void = { _ in }) throws {
        try begin(Self.request(content, change))
    }

    mutating func begin(_ request: URLRequest) throws {
        try outgoing.begin(Hop(request: request), on: &exchange, ExchangeSettings(SessionConfiguration()))
    }

    /// Sends as much as possible in `turns` ticks, and returns what is waited for then.
    mutating func send(turns: Int = .max) throws -> OutgoingRequest.WaitReason {
        var turn = 0
        while true {
            var allowance = TickAllowance(among: 1)
            try send(&allowance)
            turn += 1
            guard case .writability = outgoing.waitReason, allowance.isSpent, turn < turns else {
                return outgoing.waitReason
            }
        }
    }

    private mutating func send(_ allowance: inout TickAllowance) throws {
        while true {
            switch try outgoing.send(over: outlet, on: &exchange, &allowance) {
            case .wait: return
            case .make(let make):
                let source: any BodySource
                do { source = try make() } catch { throw SendingError.content(.failed(error)) }
                dropIfMeant(.made)
                if !outgoing.take(source) { source.finish() }
            case .ask(let source):
                if outgoing.takesStretches, let stretch = (source as? any FileBodySource)?.nextStretch() {
                    dropIfMeant(.asked)
                    if try !outgoing.take(stretch, of: source) { source.finish() }
                    continue
                }
                let piece = source.next(atMost: OutgoingRequest.pieceSize) {}
                dropIfMeant(.asked)
                if try !outgoing.take(piece, of: source, on: &exchange, &allowance) { source.finish() }
            }
        }
    }

    /// What is wrong with the content; nil if nothing is.
    mutating func failure() -> String? {
        do {
            _ = try send()
            return nil
        } catch SendingError.content(let error) {
            return error.description
        } catch {
            return "\(error)"
        }
    }

    mutating func drop() { outgoing.drop().finish() }

    private mutating func dropIfMeant(_ moment: Moment) {
        if dropsBeforeTaking == moment { drop() }
    }

    mutating func hear(_ text: String) throws {
        var offset = 0
        _ = try exchange.receive(Array(text.utf8).span, from: &offset)
    }

    var taken: [UInt8] { outlet.taken }
    var offers: Int { outlet.offers }
    var text: String { String(decoding: taken, as: UTF8.self) }
    /// Bytes of the head, as far as it was taken.
    var headCount: Int { taken.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound ?? taken.count }
    /// What followed the head.
    var content: ArraySlice<UInt8> { taken.dropFirst(headCount) }
    var facts: (isSent: Bool, hasContent: Bool, length: Int64?) {
        (outgoing.isSent, outgoing.hasContent, outgoing.contentLength)
    }
}
