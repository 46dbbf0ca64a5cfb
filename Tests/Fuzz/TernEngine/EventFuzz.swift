// SPDX-License-Identifier: Apache-2.0
@testable import TernEngine

/// Streams of server-sent events: how they come changes nothing, no event is larger than the limit, and what is written
/// as an event is read as it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard input.count >= 2 else { return 0 }
    let bytes = Array(input[2...])
    for limit in [Int(input[0]), 1 << 20] {
        let whole = EventDelivery([bytes], limit: limit)
        // U+FFFD is up to three times as long as what it stands for.
        for event in whole.events where event.data.utf8.count > 3 * limit { fatalError("\(event)") }
        guard whole == EventDelivery(bytes.map { [$0] }, limit: limit) else { fatalError("byte by byte") }
        for cut in bytes.indices where bytes.count < 256 || cut % 97 == 0 {
            let pieces = [Array(bytes[..<cut]), Array(bytes[cut...])]
            guard whole == EventDelivery(pieces, limit: limit) else { fatalError("cut at \(cut)") }
        }
    }
    let lines = String(decoding: bytes, as: UTF8.self).unicodeScalars
        .split(omittingEmptySubsequences: false, whereSeparator: { $0 == "\n" || $0 == "\r" }).map(String.init)
    let end = ["\n", "\r", "\r\n"][Int(input[1]) % 3]
    let written = (lines.map { "data: \($0)" } + ["", ""]).joined(separator: end)
    let expected = ServerSentEvent(data: lines.joined(separator: "\n"))
    guard EventDelivery([Array(written.utf8)], limit: .max).events == [expected] else { fatalError("\(lines)") }
    return 0
}
