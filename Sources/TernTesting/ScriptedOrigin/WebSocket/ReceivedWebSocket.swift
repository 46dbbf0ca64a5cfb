// SPDX-License-Identifier: Apache-2.0

/// What a server has received on one WebSocket so far.
///
/// Of its frames and messages at least the latest ``OriginConfiguration/rememberedRequests`` are kept; all are counted.
public struct ReceivedWebSocket: Sendable {
    /// How the connection ended.
    public enum End: Sendable, Equatable {
        /// By the client.
        case client(OriginClose.Kind)
        /// By the server: after close frames of both, by a step, or because it was stopped.
        case server
    }

    /// The request that opened it.
    public let request: ReceivedRequest
    /// The latest frames, whole ones only.
    public private(set) var frames: [WebSocketFrame] = []
    /// Frames received whole.
    public private(set) var frameCount = 0
    /// The latest messages.
    public private(set) var messages: [ReceivedMessage] = []
    /// Messages received whole.
    public private(set) var messageCount = 0
    /// What the client did against RFC 6455. The server answers the first with a close frame (1002 or 1007), half a close,
    /// and reads no more frames; the client ends the connection.
    public internal(set) var violations: [ClientViolation] = []
    /// The client's close frame, if one came.
    public internal(set) var close: ReceivedClose?
    /// How the connection ended; nil while it is open.
    public internal(set) var end: End?
    private let rememberedCount: Int

    init(request: ReceivedRequest, rememberedCount: Int) {
        (self.request, self.rememberedCount) = (request, rememberedCount)
    }

    mutating func add(_ frame: WebSocketFrame) {
        frameCount += 1
        frames.append(frame, keepingAtLeast: rememberedCount)
    }

    mutating func add(_ message: ReceivedMessage) {
        messageCount += 1
        messages.append(message, keepingAtLeast: rememberedCount)
    }
}

/// A whole message of a client.
public struct ReceivedMessage: Sendable, Equatable {
    /// Text or binary.
    public let opcode: WebSocketFrame.Opcode
    /// The reserved bits of its first frame; with RSV1 (4) the payload may be compressed.
    public let reserved: UInt8
    /// The payloads of its frames.
    public internal(set) var payload: [UInt8]
    /// The number of its frames.
    public internal(set) var fragmentCount = 1

    init(_ first: WebSocketFrame) { (opcode, reserved, payload) = (first.opcode, first.reserved, first.payload) }

    /// The payload as text; nil if the message is not text, or its payload is not UTF-8.
    public var text: String? { opcode == .text ? String(validating: payload, as: UTF8.self) : nil }
}

/// The content of a close frame.
public struct ReceivedClose: Sendable, Equatable {
    /// The status code; nil if the payload is empty.
    public let code: UInt16?
    /// The reason, empty without one.
    public let reason: String

    /// Creates a value for comparisons.
    public init(code: UInt16?, reason: String = "") { (self.code, self.reason) = (code, reason) }

    /// nil for a single byte, a code that may not be sent (RFC 6455 §7.4), and a reason that is not UTF-8.
    init?(payload: [UInt8]) {
        guard !payload.isEmpty else {
            self.init(code: nil)
            return
        }
        guard payload.count >= 2, let reason = String(validating: payload[2...], as: UTF8.self) else { return nil }
        switch UInt16(payload[0]) << 8 | UInt16(payload[1]) {
        case let code where 1000...1003 ~= code || 1007...1014 ~= code || 3000...4999 ~= code:
            self.init(code: code, reason: reason)
        default: return nil
        }
    }
}

/// What a client did against RFC 6455.
public enum ClientViolation: Sendable, Equatable {
    /// A frame without a mask (§5.1).
    case unmasked
    /// A reserved bit that the script does not allow (§5.2).
    case reservedBits
    /// An opcode that means nothing (§5.2).
    case reservedOpcode
    /// A length in a longer form than it needs (§5.2).
    case lengthForm
    /// A length of 2^63 or more (§5.2).
    case length
    /// A control frame that is not final (§5.5).
    case fragmentedControl
    /// A control frame with more than 125 bytes (§5.5).
    case longControl
    /// A continuation without a beginning (§5.4).
    case unexpectedContinuation
    /// A new message before the last one's end (§5.4).
    case unfinishedMessage
    /// A text message that is not UTF-8 (§8.1).
    case invalidText
    /// A close frame with an invalid code or reason (§5.5.1).
    case invalidClose
    /// A frame after the close frame (§5.5.1).
    case frameAfterClose
}
