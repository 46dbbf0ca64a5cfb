// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// Messages at random, the same ones for the same seed.
struct Generator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// SplitMix64.
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func below(_ bound: Int) -> Int {
        Int(next() % UInt64(bound))
    }

    mutating func pick<T>(_ choices: [T]) -> T {
        choices[below(choices.count)]
    }

    mutating func text(_ alphabet: String, upTo length: Int, from minimum: Int = 0) -> String {
        let characters = Array(alphabet)
        return String((0..<(minimum + below(length - minimum + 1))).map { _ in pick(characters) })
    }

    mutating func token() -> String {
        text("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", upTo: 40, from: 1)
    }

    mutating func value() -> String {
        text(" \t!\"#$%&'()*+,-./0129:;<=>?@AZ[\\]^_`az{|}~éß日", upTo: 60)
    }

    mutating func fields(_ reserved: Set<String>) -> HeaderFields {
        HeaderFields(
            (0..<below(12)).compactMap { _ in
                let name = token()
                return reserved.contains(name.lowercased()) ? nil : HeaderField(name: name, value: value())
            })
    }

    mutating func bytes(upTo length: Int) -> [UInt8] {
        (0..<below(length + 1)).map { _ in UInt8(truncatingIfNeeded: next()) }
    }

    mutating func pieces(_ bytes: [UInt8], upTo length: Int) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(1 + below(length))
            pieces.append(Array(piece))
            rest = rest.dropFirst(piece.count)
        }
        return pieces
    }
}
