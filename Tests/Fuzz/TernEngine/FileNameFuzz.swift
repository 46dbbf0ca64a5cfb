// SPDX-License-Identifier: Apache-2.0
// Any bytes as what a response says of a file: its name, its part, its digest. Oracle: no trap; a name is one
// component of a path that stays in its folder; a part lies in its whole; a path is a partial file's only if it is
// absolute and straight.
@testable import TernEngine

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let text = unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    for proposed in [
        text, ContentDisposition(text).fileName, ContentDisposition("attachment; filename=" + text).fileName,
    ] {
        if let name = proposed.flatMap(FileName.safe) { check(name) }
    }
    if case .part(let first, let last, let total)? = ContentRange("bytes " + text) {
        guard 0 <= first, first <= last, last < total ?? .max else { fatalError("\(text) is no part") }
    }
    if let found = ReprDigest.strongest(in: [Array(text.utf8)]), found.value.count != found.algorithm.length {
        fatalError("\(text) is no digest")
    }
    if PartialFilePaths.areThoseOf(text), !text.hasPrefix("/") || text.contains("/../") || text.utf8.contains(0) {
        fatalError("\(text) is no partial file")
    }
    return 0
}

private func check(_ name: String) {
    let bytes = name.utf8
    guard !bytes.isEmpty, bytes.count <= 255, !name.hasPrefix("."), !name.hasPrefix("-"),
        bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }),
        !bytes.contains(UInt8(ascii: "/")), !bytes.contains(UInt8(ascii: "\\"))
    else { fatalError("\(Array(bytes)) is no name") }
}
