// SPDX-License-Identifier: Apache-2.0
@testable import TernEngine

/// Bodies in zstd, alone and within gzip, as those of ContentFuzz: what zstd has coded is decoded, and the rest is the same
/// however it comes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard input.count >= 2 else { return 0 }
    let bytes = Array(input[2...])
    switch input[0] & 3 {
    case 0: CodedBody.check([.zstd], bytes, seed: input[1], keepsOutput: false)
    case 1: CodedBody.check([.zstd, .gzip], ZlibCoder.gzip(bytes), seed: input[1], keepsOutput: false)
    default:
        let coded =
            bytes.isEmpty
            ? ZstdCoder.code([])
            : CodedBody.pieces(bytes, input[1]).flatMap {
                ZstdCoder.code($0, level: Int32(input[1] % 20), isChecked: true)
            }
        guard Delivery([.zstd], [coded]).outcome == Delivery.Outcome(bytes: bytes) else {
            fatalError("\(bytes) is not decoded")
        }
        CodedBody.check([.zstd], CodedBody.broken(coded, seed: input[1]), seed: input[1], keepsOutput: false)
    }
    return 0
}
