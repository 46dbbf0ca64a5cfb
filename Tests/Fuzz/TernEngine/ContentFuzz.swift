// SPDX-License-Identifier: Apache-2.0
@testable import TernEngine

/// Bodies in content codings: what becomes of one does not depend on how it comes and where its reader stops, nothing
/// comes out that the limits do not allow, and what zlib has coded is decoded.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard input.count >= 2 else { return 0 }
    let chains: [[ContentCoding]] = [
        [.gzip], [.deflate], [.gzip, .gzip], [.gzip, .deflate], [.deflate, .gzip], [.deflate, .gzip, .deflate],
    ]
    let codings = chains[Int(input[0] & 7) % chains.count]
    let bytes = Array(input[2...])
    if input[0] & 8 == 0 {
        check(codings, bytes, seed: input[1])
    } else {
        let coded = codings == [.gzip] ? members(bytes, input[1]) : Deflater.code(bytes, codings)
        guard Delivery(codings, [coded]).outcome == Delivery.Outcome(bytes: bytes) else {
            fatalError("\(bytes) is not decoded")
        }
        check(codings, broken(coded, seed: input[1]), seed: input[1])
    }
    return 0
}

private func members(_ bytes: [UInt8], _ seed: UInt8) -> [UInt8] {
    pieces(bytes, seed).flatMap(Deflater.gzip)
}

/// The same with one bit changed.
private func broken(_ coded: [UInt8], seed: UInt8) -> [UInt8] {
    var coded = coded
    if let index = coded.indices.dropFirst(Int(seed) % max(1, coded.count)).first { coded[index] ^= 1 << (seed & 7) }
    return coded
}

private func check(_ codings: [ContentCoding], _ coded: [UInt8], seed: UInt8) {
    var limits = ContentDecodingLimits()
    // The ratio is looked at with each window, so where it stops a body depends on how that comes.
    limits.maximumExpansionRatio = .max
    limits.maximumDecodedSize = 1 << 20
    let whole = Delivery(codings, [coded], limits: limits)
    compare(whole, Delivery(codings, [coded], limits: limits, stops: true))
    compare(whole, Delivery(codings, coded.map { [$0] }, limits: limits, stops: seed & 1 == 0))
    compare(whole, Delivery(codings, pieces(coded, seed), limits: limits, stops: seed & 1 == 1))

    limits.maximumDecodedSize = Int(seed) * 8
    let first = Delivery(codings, [coded], limits: limits)
    compare(first, Delivery(codings, pieces(coded, seed), limits: limits, stops: true))
    guard first.bytes.count <= Int(seed) * 8, whole.bytes.starts(with: first.bytes) else {
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

private func pieces(_ bytes: [UInt8], _ seed: UInt8) -> [[UInt8]] {
    let length = Int(seed >> 1) + 1
    return stride(from: 0, to: bytes.count, by: length).map { Array(bytes[$0..<min($0 + length, bytes.count)]) }
}

private func compare(_ one: Delivery, _ other: Delivery) {
    guard one.outcome == other.outcome, !one.hangs, !other.hangs, max(one.largest, other.largest) <= BodyPath.windowSize
    else { fatalError("\(one) is not \(other)") }
}
