// SPDX-License-Identifier: Apache-2.0
// Any bytes as a netrc file. Oracle: no trap; a line has one warning at most, and the lines are in order; an entry that
// follows an empty line is found, whatever is before it.
@testable import TernEngine

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    let file = Netrc(bytes)
    let lineCount = bytes.count { $0 == 0x0A } + 1
    var last = 0
    for warning in file.warnings {
        guard warning.line > last, warning.line <= lineCount else { fatalError("\(warning) after line \(last)") }
        last = warning.line
    }
    for word in bytes.split(whereSeparator: { $0 <= 0x20 }).prefix(16) {
        _ = file.credential(forHost: String(decoding: word, as: UTF8.self))
    }
    // The first of the two words may be the value of one before it.
    let host = "fuzz.target.test"
    let whole = Netrc(bytes + Array("\n\nx x\nmachine \(host) login a password b\n".utf8))
    let found = whole.credential(forHost: host, user: nil, includingDefault: false)
    guard String(decoding: bytes, as: UTF8.self).lowercased().contains(host) || found?.passwordBytes == [0x62] else {
        fatalError("the entry is lost")
    }
    return 0
}
