// SPDX-License-Identifier: Apache-2.0
@testable import TernEngine

/// Text in lines: how it comes changes nothing, no line is longer than its limit, and nothing but ends of lines and a
/// byte order mark gets lost.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard input.count >= 2 else { return 0 }
    let bytes = Array(input[2...])
    let terminator: LineSplitter.Terminator = input[0] & 1 == 0 ? .any : .lineFeed
    for limit in [Int(input[1]), 1 << 20] {
        let whole = LineDelivery([bytes], limit: limit, terminator)
        for line in whole.lines where line.count > limit || line.contains(0x0A) { fatalError("\(line)") }
        guard whole == LineDelivery(bytes.map { [$0] }, limit: limit, terminator) else { fatalError("byte by byte") }
        for cut in bytes.indices where bytes.count < 256 || cut % 97 == 0 {
            let pieces = [Array(bytes[..<cut]), Array(bytes[cut...])]
            guard whole == LineDelivery(pieces, limit: limit, terminator) else { fatalError("cut at \(cut)") }
        }
        if limit == 1 << 20 { checkNothingIsLost(bytes, whole, terminator) }
    }
    return 0
}

private func checkNothingIsLost(_ bytes: [UInt8], _ delivery: LineDelivery, _ terminator: LineSplitter.Terminator) {
    let isEnd = { (byte: UInt8) in byte == 0x0A || terminator == .any && byte == 0x0D }
    var text = bytes
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { text.removeFirst(3) }
    guard text.filter({ !isEnd($0) }) == Array(delivery.lines.joined()), !delivery.isTooLong else { fatalError("lost") }
}
