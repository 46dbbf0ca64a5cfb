// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine
import TernIO
import TernSystem

typealias SendCompletion = @Sendable (SessionError?) -> Void

/// Makes masked frames of messages, and keeps them until they are sent.
///
/// A message waits as it is, and is framed as there is room: an open connection that sends nothing holds a few kilobytes.
struct FrameWriter: ~Copyable {
    /// The maximum payload of a frame. A longer message is fragmented, so that a pong can come between (RFC 6455 §5.4).
    static let fragmentSize = 256 * 1024

    /// A message that waits.
    struct Message {
        let isText: Bool
        let bytes: Data
        /// Called when all of it has been sent, or never will be.
        let completion: SendCompletion?
    }

    private var output = OutputBytes()
    /// The masking keys (RFC 6455 §10.3).
    private var random = RandomWords()
    private var messages = WorkQueue<Message>()
    private var current: Message?
    /// How much of the current message is framed or compressed.
    private var offset = 0
    private var isFirstFrame = true
    /// The current frame: what of its payload is left, and its mask.
    private var missing = 0
    private var masking = Masking(0)
    /// What was negotiated, and the level; nil without compression.
    private var settings: (parameters: DeflateParameters, level: Int)?
    /// Made for the first message that is compressed: it takes 260 KB.
    private var deflater: MessageDeflater?
    private let minimumSize: Int
    /// The compressed part that is being framed.
    private var part: [UInt8] = []
    private var partOffset = 0
    private var isLastPart = false
    private var isCompressing = false
    /// How many parts were compressed in this tick: each takes a millisecond.
    private var compressedParts = 0
    private static let partsPerTick = 2
    /// A close frame follows the messages, or the current frame, and then nothing.
    private var close: (payload: [UInt8], isNext: Bool)?
    private(set) var isClosed = false
    /// Control frames that wait for the end of a frame.
    private var controls: [(opcode: FrameHeader.Opcode, payload: [UInt8])] = []
    /// Where messages end in all that was and will be sent.
    private var ends = WorkQueue<(end: UInt64, completion: SendCompletion)>()
    private(set) var framedCount: UInt64 = 0
    private(set) var sentCount: UInt64 = 0

    /// - Parameter compression: what was negotiated, and how it is used.
    init(_ parameters: DeflateParameters?, _ compression: WebSocketCompression?) {
        minimumSize = max(1, compression?.minimumSize ?? .max)
        if let parameters, let compression, MessageDeflater.supports(parameters) {
            settings = (parameters, compression.level)
        }
    }

    var hasUnsent: Bool { !output.isEmpty || !isClosed && hasUnframed }

    private var hasUnframed: Bool {
        missing > 0 || current != nil || !messages.isEmpty || !controls.isEmpty || close != nil
    }

    /// Adds a message; false if it comes after a close.
    mutating func add(_ message: Message) -> Bool {
        if isClosed || close != nil { return false }
        messages.append(message)
        fill()
        return true
    }

    /// Frames a message that is lent. False if it must wait, and nothing was done.
    mutating func add(isText: Bool, _ bytes: Span<UInt8>) -> Bool {
        let size = bytes.count + FrameHeader.maximumSize
        guard !isClosed, close == nil, current == nil, messages.isEmpty, controls.isEmpty,
            bytes.count < minimumSize || settings == nil, output.count + size <= OutputBytes.enough
        else { return false }
        writeWhole(isText ? .text : .binary, bytes)
        return true
    }

    /// Adds a ping or a pong, which comes before what is not framed yet. Its payload must have 125 bytes or fewer.
    mutating func add(_ opcode: FrameHeader.Opcode, _ payload: [UInt8]) {
        if isClosed { return }
        // A peer that asks without end and does not read gets one answer for many (RFC 6455 §5.5.3).
        if opcode == .pong, output.count >= OutputBytes.enough,
            let last = controls.lastIndex(where: { $0.opcode == .pong })
        {
            controls[last].payload = payload
        } else {
            controls.append((opcode, payload))
        }
        fill()
    }

    /// Adds a close frame, after which nothing is sent.
    ///
    /// - Parameter isNext: whether it comes next, and not after the messages that wait.
    mutating func addClose(_ payload: [UInt8], isNext: Bool) {
        if isClosed || close?.isNext == true { return }
        close = (payload, isNext)
        fill()
    }

    /// Gives up the messages that are not sent. A frame that has begun is sent whole, or the close could not be read.
    mutating func takeUnsent() -> [SendCompletion] {
        var completions: [SendCompletion] = []
        while let end = ends.popFirst() { completions.append(end.completion) }
        if let message = current.take() {
            if let completion = message.completion { completions.append(completion) }
            if missing > 0 { current = Message(isText: message.isText, bytes: message.bytes, completion: nil) }
        }
        isLastPart = true
        while let message = messages.popFirst() {
            if let completion = message.completion { completions.append(completion) }
        }
        return completions
    }

    /// The completion of a message that has been sent.
    mutating func popSent() -> SendCompletion? {
        guard let first = ends.elements.first.flatMap(\.self), first.end <= sentCount else { return nil }
        return ends.popFirst()?.completion
    }

    /// Lends what is to be sent next to `send`, which returns how many bytes were sent.
    mutating func lend(_ send: (Span<UInt8>) -> Int) {
        sentCount &+= UInt64(output.lend(send))
        fill()
    }

    mutating func endTick() { compressedParts = 0 }

    /// Nothing can be sent.
    mutating func stop() {
        output = OutputBytes()
        isClosed = true
    }
}

// Framing
extension FrameWriter {
    private mutating func fill() {
        while !isClosed, output.count < OutputBytes.enough {
            if missing > 0 {
                continueFrame()
            } else if !controls.isEmpty {
                let (opcode, payload) = controls.removeFirst()
                writeWhole(opcode, payload.span)
            } else if let close, close.isNext || current == nil && messages.isEmpty {
                writeWhole(.close, close.payload.span)
                isClosed = true
            } else if current != nil {
                if isCompressing {
                    if compressedParts == Self.partsPerTick { return }
                    compressedParts += 1
                }
                beginFrame()
            } else if let message = messages.popFirst() {
                begin(message)
            } else {
                return
            }
        }
    }

    /// A frame that is whole at once.
    private mutating func writeWhole(_ opcode: FrameHeader.Opcode, _ payload: Span<UInt8>) {
        let key = random.next()
        write(FrameHeader(opcode, mask: key, length: payload.count))
        var masking = Masking(key)
        append(payload, &masking)
    }

    private mutating func begin(_ message: Message) {
        current = message
        (offset, isFirstFrame) = (0, true)
        if let settings, deflater == nil, message.bytes.count >= minimumSize {
            deflater = try? MessageDeflater(settings.parameters, level: settings.level)
            // Without memory for it, messages are sent as they are.
            if deflater == nil { self.settings = nil }
        }
        isCompressing = settings != nil && message.bytes.count >= minimumSize
    }

    private mutating func beginFrame() {
        guard let message = current else { return }
        let (length, isLast): (Int, Bool)
        if isCompressing {
            guard let made = deflater?.next(of: message.bytes, from: &offset) else { return }
            (part, partOffset) = (made.part, 0)
            (length, isLast) = (made.part.count, made.isLast)
        } else {
            length = min(message.bytes.count - offset, Self.fragmentSize)
            isLast = offset + length == message.bytes.count
        }
        let opcode = isFirstFrame ? (message.isText ? FrameHeader.Opcode.text : .binary) : .continuation
        let key = random.next()
        write(
            FrameHeader(opcode, isFinal: isLast, isCompressed: isFirstFrame && isCompressing, mask: key, length: length)
        )
        (masking, missing, isFirstFrame, isLastPart) = (Masking(key), length, false, isLast)
        if length == 0 { endFrame() }
    }

    private mutating func continueFrame() {
        guard let message = current else { return missing = 0 }
        let room = output.reserve(min(missing, OutputBytes.enough))
        let count = min(missing, room)
        var masking = masking
        if isCompressing {
            let part = part
            append(part.span.extracting(partOffset..<partOffset + count), &masking)
            partOffset += count
        } else {
            append(message.bytes.span.extracting(offset..<offset + count), &masking)
            offset += count
        }
        self.masking = masking
        missing -= count
        if missing == 0 { endFrame() }
    }

    private mutating func endFrame() {
        guard isLastPart else { return }
        if let completion = current.take()?.completion { ends.append((framedCount, completion)) }
        part = []
    }

    private mutating func write(_ header: FrameHeader) {
        _ = output.reserve(FrameHeader.maximumSize)
        let before = output.count
        output.append { header.write(to: &$0) }
        framedCount &+= UInt64(output.count - before)
    }

    private mutating func append(_ bytes: Span<UInt8>, _ masking: inout Masking) {
        _ = output.reserve(bytes.count)
        output.append { output in _ = masking.append(bytes, to: &output) }
        framedCount &+= UInt64(bytes.count)
    }
}

/// Bytes that wait to be sent. The memory grows to what is needed, and most of it is returned when it is empty.
///
/// Safety: `storage` is owned, `0 <= start <= end <= storage.count`, and the bytes between `start` and `end` are
/// initialised. It is lent as spans only, which end before the call does.
@safe private struct OutputBytes: ~Copyable {
    /// No more is framed while this much waits.
    static let enough = 64 * 1024
    private static let kept = 4 * 1024

    private var storage = unsafe UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)
    private var start = 0
    private var end = 0

    deinit { unsafe storage.deallocate() }

    var isEmpty: Bool { start == end }
    var count: Int { end - start }

    /// Makes room for this many bytes, and returns how many there is room for.
    mutating func reserve(_ count: Int) -> Int {
        if unsafe storage.count - end < count {
            let needed = self.count + count
            let capacity = max(needed, unsafe min(2 * storage.count, 2 * Self.enough), Self.kept)
            move(to: capacity)
        }
        return unsafe storage.count - end
    }

    private mutating func move(to capacity: Int) {
        let target = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: capacity)
        _ = unsafe target.initialize(fromContentsOf: storage[start..<end])
        unsafe storage.deallocate()
        unsafe storage = target
        (start, end) = (0, count)
    }

    mutating func append(_ write: (inout OutputSpan<UInt8>) -> Void) {
        let free = unsafe UnsafeMutableBufferPointer(rebasing: storage[end...])
        var output = unsafe OutputSpan(buffer: free, initializedCount: 0)
        write(&output)
        end += unsafe output.finalize(for: free)
    }

    /// Returns how many bytes were taken.
    mutating func lend(_ take: (Span<UInt8>) -> Int) -> Int {
        let taken = min(max(0, unsafe take(UnsafeBufferPointer(rebasing: storage[start..<end]).span)), count)
        start += taken
        if isEmpty {
            (start, end) = (0, 0)
            if unsafe storage.count > Self.enough { move(to: Self.kept) }
        }
        return taken
    }
}
