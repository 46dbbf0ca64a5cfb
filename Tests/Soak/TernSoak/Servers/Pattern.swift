// SPDX-License-Identifier: Apache-2.0

/// The bytes that a body consists of: the same function of a seed and a position as in the server's `pattern.c`.
enum Pattern {
    static func word(_ seed: UInt64, _ index: UInt64) -> UInt64 {
        var word = seed &+ (index &+ 1) &* 0x9E37_79B9_7F4A_7C15
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    static func bytes(_ seed: UInt64, count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: word(seed, UInt64($0 / 8)) >> UInt64($0 % 8 * 8)) }
    }

    /// Whether these are the bytes at `offset`.
    static func matches(_ seed: UInt64, offset: Int, _ bytes: Span<UInt8>) -> Bool {
        var word: UInt64 = 0
        for index in bytes.indices {
            let position = offset &+ index
            if index == 0 || position % 8 == 0 { word = self.word(seed, UInt64(position / 8)) }
            if bytes[index] != UInt8(truncatingIfNeeded: word >> UInt64(position % 8 * 8)) { return false }
        }
        return true
    }

    /// FNV-1a.
    static func digest(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
    }
}
