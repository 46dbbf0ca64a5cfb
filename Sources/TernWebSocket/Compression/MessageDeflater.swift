// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine

/// Compresses messages (RFC 7692 §7.2.1), one part of the output after the other.
struct MessageDeflater: ~Copyable {
    /// The size of a part at least, unless this much of a message is compressed into less.
    private static let partSize = 16 * 1024
    private static let atOnce = 64 * 1024
    private static let tailSize = 4

    private var deflater: Deflater
    private let forgetsContext: Bool
    /// The output that is not taken: at the end of a message its last four bytes are left out, so as many are held back.
    private var output: [UInt8] = []

    init(_ parameters: DeflateParameters, level: Int) throws(ContentDecodingError) {
        deflater = try Deflater(.bare(windowBits: parameters.clientWindowBits), level: min(max(0, level), 9))
        forgetsContext = parameters.clientForgetsContext
    }

    /// Whether a window of this size can be kept to: zlib has none of 256 bytes.
    static func supports(_ parameters: DeflateParameters) -> Bool { parameters.clientWindowBits > 8 }

    /// Compresses the message on from `offset`. Returns the next part of its payload, and whether it is the last.
    mutating func next(of message: Data, from offset: inout Int) -> (part: [UInt8], isLast: Bool) {
        let start = offset
        while true {
            let isDone = fill(message, from: &offset)
            let kept = isDone ? 0 : Self.tailSize
            if !isDone, output.count < Self.partSize, offset - start < Self.atOnce { continue }
            let part = Array(output.dropLast(Self.tailSize))
            output = Array(output.suffix(kept))
            if isDone, forgetsContext { deflater.reset() }
            return (part, isDone)
        }
    }

    private mutating func fill(_ message: Data, from offset: inout Int) -> Bool {
        let end = min(message.count, offset + Self.partSize)
        let flush = end == message.count ? Deflater.Flush.sync : .none
        var isDone = false
        let piece = message.span.extracting(offset..<end)
        var taken = 0
        let made = unsafe [UInt8](unsafeUninitializedCapacity: Self.partSize) { room, count in
            var span = unsafe OutputSpan(buffer: room, initializedCount: 0)
            isDone = deflater.deflate(piece, from: &taken, into: &span, flush)
            count = unsafe span.finalize(for: room)
        }
        output += made
        offset += taken
        return isDone && flush == .sync
    }
}
