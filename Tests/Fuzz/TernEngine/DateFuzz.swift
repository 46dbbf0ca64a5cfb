// SPDX-License-Identifier: Apache-2.0
// Any bytes as a date. Oracle: no trap; a date that is read is the same in other letters and with a comment, and when it is
// written as HTTP has it; what is read to the letter is read so by the forgiving reader, too.
@testable import TernEngine

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let text = unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    let now = { () -> Int64 in 1_795_694_400 }
    let seconds = HTTPDate.seconds(text, now: now)
    if let exact = HTTPDate.exactSeconds(text), HTTPDate.text(exact).flatMap({ HTTPDate.exactSeconds($0) }) != exact {
        fatalError("\(text) is another date to the letter")
    }
    guard let seconds else { return 0 }
    guard text.utf8.count <= 128 else { fatalError("\(text) is long") }
    if let written = HTTPDate.text(seconds), HTTPDate.seconds(written, now: now) != seconds {
        fatalError("\(text) is \(written), which is another date")
    }
    if text.utf8.allSatisfy({ $0 < 0x80 }), text.utf8.count < 120, !text.contains("(") {
        for other in [text.uppercased(), text.lowercased(), text + " (x)"]
        where DateReader.seconds(other, now: now) != DateReader.seconds(text, now: now) {
            fatalError("\(other) is another date than \(text)")
        }
    }
    return 0
}
