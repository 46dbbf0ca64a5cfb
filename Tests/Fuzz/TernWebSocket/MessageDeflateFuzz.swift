// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine

@testable import TernWebSocket

/// Messages that are compressed, and decompressed again: after a byte with the settings, each byte says how long the next
/// message is. What is decompressed is what was compressed, whatever the settings, and with one context for all.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
    guard count > 1 else { return 0 }
    let options = unsafe start[0]
    var rest = unsafe Array(UnsafeBufferPointer(start: start, count: count).dropFirst())[...]
    var parameters = DeflateParameters()
    (parameters.clientForgetsContext, parameters.serverForgetsContext) = (options & 1 == 1, options & 1 == 1)
    parameters.clientWindowBits = 9 + Int(options >> 1) % 7
    guard var deflater = try? MessageDeflater(parameters, level: Int(options >> 4)),
        var inflater = try? MessageInflater(parameters, limit: 1 << 20)
    else { return 0 }
    while let length = rest.popFirst() {
        let piece = rest.prefix(Int(length))
        rest = rest.dropFirst(Int(length))
        // Long messages, which take several parts, are made of short inputs.
        let message = Data((0..<(length & 7 == 7 ? 500 : 1)).flatMap { _ in piece })
        if message.isEmpty { continue }
        if roundTrip(message, &deflater, &inflater) != message { fatalError("not the same") }
    }
    return 0
}

private func roundTrip(_ message: Data, _ deflater: inout MessageDeflater, _ inflater: inout MessageInflater) -> Data? {
    var made = Data()
    var offset = 0
    while true {
        let (part, isLast) = deflater.next(of: message, from: &offset)
        var taken = 0
        repeat {
            guard (try? inflater.inflate(part.span, from: &taken)) != nil else { return nil }
            inflater.lend { bytes in for index in bytes.indices { made.append(bytes[index]) } }
        } while taken < part.count
        if !isLast { continue }
        while let isWhole = try? inflater.finish() {
            inflater.lend { bytes in for index in bytes.indices { made.append(bytes[index]) } }
            if isWhole { return made }
        }
        return nil
    }
}
