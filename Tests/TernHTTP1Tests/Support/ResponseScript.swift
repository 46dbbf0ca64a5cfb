// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// How a response is asked for: the request, and the rules it is read by.
struct ResponseScript {
    var method = "GET"
    var fields: HeaderFields = [:]
    var limits = ParsingLimits()
    var leniency: ParsingLeniency = []
    /// Whether the peer closes behind the input.
    var closes = false

    /// Passes `pieces` to a new exchange one after another and records the results.
    func run(_ pieces: [[UInt8]]) -> Transcript {
        run { (exchange, transcript) throws(HTTPProtocolError) in
            for (index, piece) in pieces.enumerated() {
                guard try feed(&exchange, piece.span, &transcript) else {
                    return giveSurplus(&exchange, pieces[(index + 1)...], &transcript)
                }
            }
        }
    }

    /// The same with one chunk in memory of a special kind.
    func run(oneSpan bytes: Span<UInt8>) -> Transcript {
        var transcript = Transcript()
        var exchange = Exchange(limits: limits, leniency: leniency)
        do throws(HTTPProtocolError) {
            try begin(&exchange)
            _ = try feed(&exchange, bytes, &transcript)
        } catch {
            transcript.add(error)
        }
        return finished(&exchange, transcript)
    }

    func run(_ deliver: (inout Exchange, inout Transcript) throws(HTTPProtocolError) -> Void) -> Transcript {
        var transcript = Transcript()
        var exchange = Exchange(limits: limits, leniency: leniency)
        do throws(HTTPProtocolError) {
            try begin(&exchange)
            try deliver(&exchange, &transcript)
        } catch {
            transcript.add(error)
        }
        return finished(&exchange, transcript)
    }

    /// Gives what comes behind the end, which no exchange may take.
    private func giveSurplus(
        _ exchange: inout Exchange, _ pieces: ArraySlice<[UInt8]>, _ transcript: inout Transcript
    ) {
        guard transcript.events.last != "handover", let piece = pieces.first(where: { !$0.isEmpty }) else { return }
        do throws(HTTPProtocolError) {
            var offset = 0
            let event = try exchange.receive(piece.span, from: &offset)
            transcript.add("\(event)")
        } catch {
            transcript.add(error.reason == .unsolicited(.bytes) ? "leftover" : "\(error)")
        }
    }

    private func finished(_ exchange: inout Exchange, _ transcript: Transcript) -> Transcript {
        var transcript = transcript
        let hasEnded = transcript.events.contains("end") || transcript.events.last == "handover"
        if closes, transcript.error == nil, !hasEnded { close(&exchange, &transcript) }
        transcript.flush()
        if transcript.error == nil { finish(exchange, &transcript) }
        return transcript
    }

    func begin(_ exchange: inout Exchange) throws(HTTPProtocolError) {
        var output: [UInt8] = []
        let origin = HTTPOrigin(scheme: .http, host: "example.com", port: 80)
        let target: RequestTarget = method == "CONNECT" ? .authority("example.com:443") : .origin("/")
        let head = RequestHead(method: method, target: target, origin: origin, fields: fields)
        try exchange.begin(head, body: .none, defaults: [:], into: &output)
    }

    /// `false` once the response has ended.
    func feed(
        _ exchange: inout Exchange, _ bytes: Span<UInt8>, _ transcript: inout Transcript
    ) throws(HTTPProtocolError) -> Bool {
        var offset = 0
        while true {
            switch try exchange.receive(bytes, from: &offset) {
            case .needMoreBytes: return true
            case .informational(let head), .head(let head): transcript.add(head)
            case .body(let range): for index in range { transcript.add(CollectionOfOne(bytes[index])) }
            case .end(let trailers, let discarded):
                transcript.addEnd(trailers, discarded: discarded)
                return false
            case .handedOver:
                transcript.add("handover")
                return false
            }
        }
    }

    private func close(_ exchange: inout Exchange, _ transcript: inout Transcript) {
        do throws(HTTPProtocolError) {
            switch try exchange.receiveEndOfStream() {
            case .end(let trailers, let discarded): transcript.addEnd(trailers, discarded: discarded)
            case .handedOver: transcript.add("handover")
            case let event: transcript.add("\(event)")
            }
        } catch {
            transcript.add(error)
        }
    }

    private func finish(_ exchange: borrowing Exchange, _ transcript: inout Transcript) {
        if transcript.events.last == "leftover" { return }
        if exchange.isReusable {
            transcript.add("reusable")
        } else if transcript.events.contains(where: { $0 == "end" }) {
            transcript.add(exchange.leftover > 0 ? "leftover" : "closing")
        } else if transcript.events.last != "handover" {
            transcript.add("more")
        }
    }
}
