// SPDX-License-Identifier: Apache-2.0
@testable import TernHTTP1

/// The oracle: a response is given whole, byte by byte, and in chunks, and all deliveries must give the same result.
/// Only `HTTPProtocolError` can be thrown, because the types say so; a trap ends the run.
enum Deliveries {
    /// The first byte of the input says how the response is asked for and read, the second how it is cut.
    static func check(_ input: [UInt8], prefix: [UInt8] = []) {
        guard input.count >= 2 else { return }
        let script = script(input[0])
        let bytes = prefix + input[2...]
        let whole = script.run([bytes])
        compare(script.run(bytes.map { [$0] }), whole)
        compare(script.run(pieces(bytes, seed: input[1])), whole)
    }

    static func script(_ choice: UInt8) -> ResponseScript {
        var script = ResponseScript()
        script.method = ["GET", "HEAD", "CONNECT", "POST"][Int(choice & 3)]
        script.closes = choice & 4 != 0
        if choice & 8 != 0 { script.leniency = [.bareLineFeedInHead, .chunkedInHTTP10] }
        if choice & 16 != 0 { script.fields = ["Connection": "upgrade", "Upgrade": "x"] }
        if choice & 32 != 0 {
            script.limits.maximumStatusLineSize = 24
            script.limits.maximumFieldLineSize = 32
            script.limits.maximumFieldSectionSize = 96
            script.limits.maximumFieldCount = 4
            script.limits.maximumChunkLineSize = 8
            script.limits.chunkOverheadAllowance = 32
            script.limits.maximumChunkOverheadRatio = 5
            script.limits.maximumTrailerCount = 2
            script.limits.maximumTrailerSectionSize = 32
            script.limits.maximumInformationalResponseCount = 2
        }
        return script
    }

    /// Chunks of about one to sixteen bytes, in a pattern that `seed` chooses.
    static func pieces(_ bytes: [UInt8], seed: UInt8) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var state = UInt32(seed) | 1
        var rest = bytes[...]
        while !rest.isEmpty {
            state = state &* 1_664_525 &+ 1_013_904_223
            let length = Int(state >> 24 & (seed & 1 == 0 ? 15 : 63)) + 1
            pieces.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return pieces
    }

    static func compare(_ transcript: Transcript, _ whole: Transcript) {
        guard transcript == whole else { fatalError("\(transcript) is not \(whole)") }
    }
}
