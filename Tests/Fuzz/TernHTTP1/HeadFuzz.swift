// SPDX-License-Identifier: Apache-2.0
@testable import TernHTTP1

/// Heads, and whatever follows them.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    Deliveries.check(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
