// SPDX-License-Identifier: Apache-2.0
@testable import TernHTTP1

/// The chunked coding and its trailers, behind a head that is right.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let head = Array("HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
    var input = Array(UnsafeBufferPointer(start: start, count: count))
    // Requests that have content in their answers only.
    if let choice = input.first { input[0] = choice & ~3 }
    Deliveries.check(input, prefix: head)
    return 0
}
