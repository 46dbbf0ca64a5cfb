// SPDX-License-Identifier: Apache-2.0
// Any bytes as a file of hosts that want TLS, and as the field by which they say so. Oracle: no trap; what was read and
// written is read again as the same hosts and the same other lines, and each line is read as when it stands alone; a
// maximum age is not negative, and empty directives change nothing.
@testable import TernEngine

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    let first = HSTSText(bytes)
    let written = HSTSText.bytes(of: first.hosts, after: first.otherLines)
    let again = HSTSText(written)
    guard again.hosts == first.hosts, again.skippedLineCount == first.skippedLineCount,
        first.otherLines.isEmpty || again.otherLines == first.otherLines,
        HSTSText.bytes(of: again.hosts, after: again.otherLines) == written
    else { fatalError("written and read otherwise") }
    let alone = bytes.split(separator: 0x0A).map { HSTSText(Array($0)) }
    guard alone.flatMap(\.hosts) == first.hosts,
        alone.reduce(0, { $0 + $1.skippedLineCount }) == first.skippedLineCount
    else { fatalError("a line depends on its neighbours") }
    let field = StrictTransportSecurity(bytes)
    if let field, field.maxAge < 0 { fatalError("\(field)") }
    guard StrictTransportSecurity(Array("; ;".utf8) + bytes) == field else { fatalError("an empty directive counts") }
    return 0
}
