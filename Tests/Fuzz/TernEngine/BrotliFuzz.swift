// SPDX-License-Identifier: Apache-2.0
@testable import TernEngine

/// Bodies in br, alone and within gzip, as those of ContentFuzz: what brotli has coded is decoded, and the rest is the same
/// however it comes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard input.count >= 2 else { return 0 }
    let bytes = Array(input[2...])
    switch input[0] & 3 {
    case 0: CodedBody.check([.brotli], bytes, seed: input[1], keepsOutput: false)
    case 1: CodedBody.check([.brotli, .gzip], ZlibCoder.gzip(bytes), seed: input[1], keepsOutput: false)
    default:
        let coded = BrotliCoder.code(bytes, quality: Int32(input[1] % 12), window: 10 + Int32(input[1] % 15))
        guard Delivery([.brotli], [coded]).outcome == Delivery.Outcome(bytes: bytes) else {
            fatalError("\(bytes) is not decoded")
        }
        CodedBody.check([.brotli], CodedBody.broken(coded, seed: input[1]), seed: input[1], keepsOutput: false)
    }
    return 0
}
