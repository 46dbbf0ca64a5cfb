// SPDX-License-Identifier: Apache-2.0
@testable import TernEngine

enum CodedBody {
    /// The same with one bit changed.
    static func broken(_ coded: [UInt8], seed: UInt8) -> [UInt8] {
        var coded = coded
        if let index = coded.indices.dropFirst(Int(seed) % max(1, coded.count)).first {
            coded[index] ^= 1 << (seed & 7)
        }
        return coded
    }

    /// What becomes of a body does not depend on how it comes and where its reader stops, and nothing comes out that
    /// the limits do not allow.
    ///
    /// - Parameter keepsOutput: whether all that comes before an error is delivered, however the input is split.
    static func check(_ codings: [ContentCoding], _ coded: [UInt8], seed: UInt8, keepsOutput: Bool = true) {
        var limits = ContentDecodingLimits()
        // The ratio is looked at with each window, so where it stops a body depends on how that comes.
        limits.maximumExpansionRatio = .max
        limits.maximumDecodedSize = 1 << 20
        let whole = Delivery(codings, [coded], limits: limits)
        compare(whole, Delivery(codings, [coded], limits: limits, stops: true), keepsOutput)
        compare(whole, Delivery(codings, coded.map { [$0] }, limits: limits, stops: seed & 1 == 0), keepsOutput)
        compare(whole, Delivery(codings, pieces(coded, seed), limits: limits, stops: seed & 1 == 1), keepsOutput)

        limits.maximumDecodedSize = Int(seed) * 8
        let first = Delivery(codings, [coded], limits: limits)
        compare(first, Delivery(codings, pieces(coded, seed), limits: limits, stops: true), keepsOutput)
        guard first.bytes.count <= Int(seed) * 8, !keepsOutput || whole.bytes.starts(with: first.bytes) else {
            fatalError("\(first) is beyond \(limits)")
        }

        limits = ContentDecodingLimits()
        limits.expansionAllowance = 64
        limits.maximumExpansionRatio = Int(seed)
        let slow = Delivery(codings, pieces(coded, seed), limits: limits)
        guard slow.bytes.count <= max(64, max(1, Int(seed)) * coded.count), !slow.hangs else {
            fatalError("\(slow) is beyond \(limits)")
        }
    }

    static func pieces(_ bytes: [UInt8], _ seed: UInt8) -> [[UInt8]] {
        let length = Int(seed >> 1) + 1
        return stride(from: 0, to: bytes.count, by: length).map { Array(bytes[$0..<min($0 + length, bytes.count)]) }
    }

    /// How much output comes before an error decides whether it is too much.
    private static func compare(_ one: Delivery, _ other: Delivery, _ keepsOutput: Bool) {
        let agree =
            keepsOutput || one.failure == nil || other.failure == nil
            ? one.outcome == other.outcome
            : one.bytes.starts(with: other.bytes) || other.bytes.starts(with: one.bytes)
        guard agree, !one.hangs, !other.hangs, max(one.largest, other.largest) <= BodyPath.windowSize else {
            fatalError("\(one) is not \(other)")
        }
    }
}
