// SPDX-License-Identifier: Apache-2.0
// Any bytes as the records of a cache, with and without the right checksums. Oracle: no trap; a name of content is one
// component of a path; what was read and written is read again as the same; each line is read as when it stands alone.
@testable import TernEngine

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    check(bytes)
    // The checksum of a line is hard to guess.
    let lines = bytes.split(separator: 0x0A).map { line in line + [0x20] + CacheRecords.checksum(line[...]) }
    check(Array(lines.joined(separator: [0x0A])))
    return 0
}

private func check(_ bytes: [UInt8]) {
    let first = CacheRecords(bytes)
    for name in first.records.map(\.contentName) {
        guard !name.isEmpty, name.utf8.allSatisfy({ $0 > 0x2F && $0 < 0x7B && $0 != 0x40 }) else { fatalError(name) }
    }
    let written = CacheRecords.bytes(of: first.records, after: first.otherLines)
    let again = CacheRecords(written)
    guard again.records.map(facts) == first.records.map(facts), again.otherLines == first.otherLines,
        again.damagedLineCount == 0,
        CacheRecords.bytes(of: again.records, after: again.otherLines) == written
    else { fatalError("written and read otherwise") }
    let alone = bytes.split(separator: 0x0A).map { CacheRecords(Array($0)) }
    guard alone.flatMap({ $0.records.map(facts) }) == first.records.map(facts),
        alone.reduce(0, { $0 + $1.damagedLineCount }) == first.damagedLineCount
    else { fatalError("a line depends on its neighbours") }
}

/// As it would be written, and its head as it would be used.
private func facts(_ record: CacheRecord) -> [UInt8] {
    record.line + (record.response(url: "http://a.test/")?.head.encoded ?? [])
}
