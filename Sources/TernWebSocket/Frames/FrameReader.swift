// SPDX-License-Identifier: Apache-2.0
import TernEngine

/// Cuts the bytes of a server into frames, and holds them against the rules of RFC 6455 §5. It keeps no payload but that of
/// a control frame.
struct FrameReader: ~Copyable {
    /// What comes next in the bytes.
    enum Step: Sendable, Equatable {
        /// Nothing without further bytes.
        case needMore
        /// This part of the bytes belongs to the current message; it may be empty. Whether the message ends with it.
        case piece(Range<Int>, isLast: Bool)
        /// A control frame, whose payload is ``FrameReader/controlPayload``.
        case control(FrameHeader.Opcode)
    }

    /// The message that has begun and not ended.
    struct Message: Sendable, Equatable {
        let isText: Bool
        let isCompressed: Bool
        /// The number of bytes of its payload, as sent, in the frames so far.
        fileprivate(set) var length = 0
    }

    private let allowsCompression: Bool
    /// The maximum length of a message that is not compressed.
    private let limit: Int
    private var head = InlineArray<14, UInt8>(repeating: 0)
    private var headCount = 0
    /// The current frame, and how much of its payload is missing.
    private var frame: FrameHeader?
    private var missing = 0
    private(set) var message: Message?
    private(set) var controlPayload: [UInt8] = []

    /// - Parameters:
    ///   - allowsCompression: whether permessage-deflate was negotiated.
    ///   - limit: the maximum length of a message that is not compressed, in bytes.
    init(allowsCompression: Bool, limit: Int) {
        (self.allowsCompression, self.limit) = (allowsCompression, limit)
        controlPayload.reserveCapacity(FrameHeader.maximumControlPayload)
    }

    /// How many bytes the current frame lacks at least.
    var missingCount: Int { frame == nil ? 2 : missing }

    /// Reads on in `bytes` from `offset`.
    mutating func next(
        in bytes: Span<UInt8>, from offset: inout Int
    ) throws(WebSocketFailure) -> Step {
        if frame == nil { try readHead(bytes, from: &offset) }
        guard let frame else { return .needMore }
        let count = min(missing, bytes.count - offset)
        if count == 0, missing > 0 { return .needMore }
        let range = offset..<offset + count
        offset += count
        missing -= count
        return frame.opcode.isControl
            ? takeControl(bytes.extracting(range), of: frame) : takeMessage(range, of: frame)
    }

    private mutating func readHead(
        _ bytes: Span<UInt8>, from offset: inout Int
    ) throws(WebSocketFailure) {
        while true {
            let size = FrameHeader.size(of: head.span.extracting(first: headCount))
            if headCount >= size { break }
            if offset == bytes.count { return }
            head[headCount] = bytes[offset]
            (headCount, offset) = (headCount + 1, offset + 1)
        }
        let header: FrameHeader
        do throws(WebSocketViolation) {
            header = try FrameHeader(head.span.extracting(first: headCount), allowsCompression: allowsCompression)
            try begin(header)
        } catch {
            throw .violation(error)
        }
        if let message, !message.isCompressed, message.length > limit { throw .messageTooLarge(limit: limit) }
        (frame, missing, headCount) = (header, header.length, 0)
    }

    /// The frame's place in its message.
    private mutating func begin(_ header: FrameHeader) throws(WebSocketViolation) {
        switch header.opcode {
        case .text, .binary:
            if message != nil { throw .unfinishedMessage }
            message = Message(isText: header.opcode == .text, isCompressed: header.isCompressed)
        case .continuation: if message == nil { throw .nothingToContinue }
        case .close, .ping, .pong:
            controlPayload.removeAll(keepingCapacity: true)
            return
        }
        // Each frame is counted before its payload comes, so none is received in vain.
        let (length, overflows) = (message?.length ?? 0).addingReportingOverflow(header.length)
        message?.length = overflows ? .max : length
    }

    private mutating func takeControl(_ bytes: Span<UInt8>, of header: FrameHeader) -> Step {
        for index in bytes.indices { controlPayload.append(bytes[index]) }
        if missing > 0 { return .needMore }
        frame = nil
        return .control(header.opcode)
    }

    private mutating func takeMessage(_ range: Range<Int>, of header: FrameHeader) -> Step {
        if missing == 0 { frame = nil }
        let isLast = missing == 0 && header.isFinal
        return .piece(range, isLast: isLast)
    }

    /// The message whose last piece was returned has been dealt with.
    mutating func endMessage() { message = nil }
}
