// SPDX-License-Identifier: Apache-2.0
@testable import TernHTTP1

/// Exchange after exchange on one connection: responses are separated by the byte 0xFE, and each must leave the
/// connection in the same state however it is cut.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard input.count >= 2 else { return 0 }
    let script = Deliveries.script(input[0])
    let responses = input[2...].split(separator: 0xFE, omittingEmptySubsequences: false).map(Array.init)
    let whole = run(script, responses.map { [$0] })
    Deliveries.compare(run(script, responses.map { $0.map { [$0] } }), whole)
    Deliveries.compare(run(script, responses.map { Deliveries.pieces($0, seed: input[1]) }), whole)
    return 0
}

private func run(_ script: ResponseScript, _ responses: [[[UInt8]]]) -> Transcript {
    var transcript = Transcript()
    var exchange = Exchange(limits: script.limits, leniency: script.leniency)
    do throws(HTTPProtocolError) {
        for response in responses {
            try script.begin(&exchange)
            var hasEnded = false
            for piece in response where !piece.isEmpty {
                // A byte behind the end is an error in one delivery and left over in the other.
                if hasEnded { return transcript }
                hasEnded = try !script.feed(&exchange, piece.span, &transcript)
                if transcript.events.last == "handover" { return transcript }
            }
            if exchange.leftover > 0 { return transcript }
            transcript.add(exchange.isReusable ? "reusable" : "not reusable")
            if !exchange.isReusable {
                do throws(HTTPProtocolError) {
                    transcript.add("\(try exchange.receiveEndOfStream())")
                } catch {
                    transcript.add(error)
                }
                return transcript
            }
        }
    } catch {
        transcript.add(error)
    }
    return transcript
}
