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
        CodedBody.check(codings, bytes, seed: input[1])
    } else {
        let coded = codings == [.gzip] ? members(bytes, input[1]) : ZlibCoder.code(bytes, codings)
        guard Delivery(codings, [coded]).outcome == Delivery.Outcome(bytes: bytes) else {
            fatalError("\(bytes) is not decoded")
        }
        CodedBody.check(codings, CodedBody.broken(coded, seed: input[1]), seed: input[1])
    }
    return 0
}

private func members(_ bytes: [UInt8], _ seed: UInt8) -> [UInt8] {
    CodedBody.pieces(bytes, seed).flatMap(ZlibCoder.gzip)
}
