// SPDX-License-Identifier: Apache-2.0
// Safety: memory is lent to the coding's library for the call, with its own size.

internal import CCoding
internal import Foundation

/// Words that are always the same, the first ones of a small vocabulary more often than the last, so that gzip makes
/// about a quarter of them.
struct GeneratedText {
    private static let seed: UInt64 = 0x7465_726e
    private var state = Self.seed

    /// - Parameter size: in bytes.
    static func bytes(_ size: Int) -> [UInt8] {
        var text = GeneratedText()
        let vocabulary = (0..<200).map { _ in text.word() }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size + 16)
        while bytes.count < size {
            let place = text.unit()
            bytes += vocabulary[Int(Double(vocabulary.count) * place * place * place)]
        }
        return Array(bytes.prefix(size))
    }

    static func coded(_ bytes: [UInt8], with coding: ContentCoding) throws -> Data {
        let bound = coding_bound(coding.library, bytes.count)
        let coded = unsafe [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
            count = unsafe coding_encode(coding.library, bytes, bytes.count, buffer.baseAddress)
        }
        guard !coded.isEmpty else { throw PeerUnavailable(reason: "nothing is compressed with \(coding)") }
        return Data(coded)
    }

    /// One to four syllables and a blank.
    private mutating func word() -> [UInt8] {
        let (consonants, vowels) = (Array("bcdfghjklmnprstvwz".utf8), Array("aeiou".utf8))
        let syllables = (0...Int(next() % 4)).flatMap { _ in
            [consonants[Int(next() % 18)], vowels[Int(next() % 5)]]
        }
        return syllables + [0x20]
    }

    /// 0 ..< 1.
    private mutating func unit() -> Double { Double(next() >> 11) / Double(1 << 53) }

    /// SplitMix64.
    private mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
