// SPDX-License-Identifier: Apache-2.0
import TernEngine

/// Decompresses messages (RFC 7692 §7.2.2) into a window, which bounds what is done at once.
struct MessageInflater: ~Copyable {
    private var inflater: Inflater
    private var window = DecodedWindow()
    private let forgetsContext: Bool
    private let limit: Int
    /// The number of bytes of the message so far.
    private var made = 0
    /// How much of the bytes that end each message is read (RFC 7692 §7.2.2).
    private var tailOffset = 0
    private var isHolding = false
    private var isOver = false
    private var blockCount = 0

    private static let tail: InlineArray<4, UInt8> = [0x00, 0x00, 0xFF, 0xFF]

    /// - Parameter limit: the maximum length of a message, in bytes.
    init(_ parameters: DeflateParameters, limit: Int) throws(ContentDecodingError) {
        inflater = try Inflater(.bare)
        (forgetsContext, self.limit) = (parameters.serverForgetsContext, limit)
    }

    /// The number of bytes produced and not taken.
    var waiting: Int { window.count }

    /// The maximum number of blocks at once: one costs as much as kilobytes of output, whatever it holds.
    private static let blocksAtOnce = 32

    /// Fills the window until it is full, the bytes are consumed, or many blocks have ended.
    mutating func inflate(
        _ bytes: Span<UInt8>, from offset: inout Int
    ) throws(WebSocketFailure) {
        blockCount = 0
        while window.room > 0, blockCount < Self.blocksAtOnce, isHolding || offset < bytes.count {
            // A message may end its stream, and begin another one.
            if isOver {
                inflater.begin(.bare)
                isOver = false
            }
            try step(bytes, from: &offset)
        }
    }

    /// The message has ended: goes on with the bytes that its sender left out. True if the message is whole.
    mutating func finish() throws(WebSocketFailure) -> Bool {
        while !isOver, window.room > 0, isHolding || tailOffset < Self.tail.count {
            let tail = Self.tail
            var offset = tailOffset
            defer { tailOffset = offset }
            try step(tail.span, from: &offset)
        }
        guard isOver || !isHolding && tailOffset == Self.tail.count else { return false }
        if isOver || forgetsContext { inflater.begin(.bare) }
        (made, tailOffset, isHolding, isOver) = (0, 0, false, false)
        return true
    }

    private mutating func step(_ bytes: Span<UInt8>, from offset: inout Int) throws(WebSocketFailure) {
        // One more than the limit, to detect that there is more.
        let room = min(window.room, limit - made + 1)
        let before = window.count
        let outcome = Self.fill(&window, room, &inflater, bytes, from: &offset)
        made += window.count - before
        isHolding = false
        if made > limit { throw .messageTooLarge(limit: limit) }
        switch outcome {
        case .usedUp: break
        case .full: isHolding = true
        case .boundary: (isHolding, blockCount) = (true, blockCount + 1)
        case .ended: (isOver, blockCount) = (true, blockCount + 1)
        case .failed(.malformed(let flaw)): throw .undecodable(flaw)
        case .failed(let error): throw .undecodable("\(error)")
        }
    }

    private static func fill(
        _ window: inout DecodedWindow, _ room: Int, _ inflater: inout Inflater, _ bytes: Span<UInt8>,
        from offset: inout Int
    ) -> Inflater.Outcome {
        window.append(room) { output in inflater.inflate(bytes, from: &offset, into: &output) }
    }

    /// Lends the window to `take`, which takes all of it.
    mutating func lend(_ take: (Span<UInt8>) -> Void) {
        window.lend { bytes in
            take(bytes)
            return bytes.count
        }
    }
}
