// SPDX-License-Identifier: Apache-2.0

/// Why a WebSocket could not be opened, or has ended other than by a close that both sides have agreed on.
public enum WebSocketFailure: Error, Sendable, Hashable {
    /// The server switched protocols, and its response is not what a WebSocket needs.
    case handshake(WebSocketHandshakeViolation)
    /// The server broke the protocol: the connection was closed with the violation's close code.
    case violation(WebSocketViolation)
    /// A message of the server, decompressed where it is compressed, is longer than the maximum in bytes.
    case messageTooLarge(limit: Int)
    /// A message of the server cannot be decompressed: zlib's words.
    case undecodable(String)
    /// The WebSocket is closed: what the server said in its close frame, or ``WebSocketCloseCode/abnormalClosure`` if it sent
    /// none.
    case closed(WebSocketClose)
    /// The server sent nothing for this long after a ping.
    case noPong(within: Duration)
    /// The reason of a close is longer than 123 bytes, or its code must not be sent (RFC 6455 §7.4).
    case unsendableClose(WebSocketClose)
}

/// What a 101 response lacks (RFC 6455 §4.1).
public enum WebSocketHandshakeViolation: String, Error, Sendable, Hashable, CaseIterable {
    /// `Upgrade` is not `websocket`.
    case upgrade
    /// `Sec-WebSocket-Accept` is missing, or does not belong to the request's key.
    case accept
    /// `Sec-WebSocket-Protocol` names a subprotocol that was not offered, or several.
    case subprotocol
    /// `Sec-WebSocket-Extensions` names an extension that was not offered, or parameters of it that are not allowed (RFC 7692
    /// §7.1).
    case extensions
}

/// The rule of RFC 6455 or RFC 7692 that a frame breaks.
public enum WebSocketViolation: String, Error, Sendable, Hashable, CaseIterable {
    /// A reserved bit is set without an extension that gives it a meaning (RFC 6455 §5.2).
    case reservedBit = "reserved-bit"
    /// The opcode is reserved (RFC 6455 §5.2).
    case opcode
    /// The length does not have its shortest form, or is more than 2⁶³ − 1 (RFC 6455 §5.2).
    case length
    /// A server masks no frames, and a client all (RFC 6455 §5.1).
    case mask
    /// A control frame is fragmented (RFC 6455 §5.5).
    case fragmentedControlFrame = "fragmented-control-frame"
    /// A control frame has more than 125 bytes (RFC 6455 §5.5).
    case controlFrameTooLong = "control-frame-too-long"
    /// A message begins before the last one has ended (RFC 6455 §5.4).
    case unfinishedMessage = "unfinished-message"
    /// A frame continues no message (RFC 6455 §5.4).
    case nothingToContinue = "nothing-to-continue"
    /// A text, or the reason of a close, is not UTF-8 (RFC 6455 §8.1).
    case invalidUTF8 = "invalid-utf8"
    /// A close frame has half a code, or one that is not sent (RFC 6455 §7.4).
    case closeCode = "close-code"

    /// What the connection is closed with: ``WebSocketCloseCode/invalidFramePayloadData`` for text that is not UTF-8, and
    /// otherwise ``WebSocketCloseCode/protocolError``.
    public var closeCode: WebSocketCloseCode { self == .invalidUTF8 ? .invalidFramePayloadData : .protocolError }
}

/// Why a WebSocket was closed (RFC 6455 §7.4): a code of the registry, or one of 3000 to 4999 that a program defines.
public struct WebSocketCloseCode: RawRepresentable, Sendable, Hashable {
    /// The code as it is sent.
    public var rawValue: UInt16

    /// The code with this number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// 1000: its purpose is fulfilled.
    public static let normalClosure = WebSocketCloseCode(rawValue: 1000)
    /// 1001: a server goes down, or a program has left.
    public static let goingAway = WebSocketCloseCode(rawValue: 1001)
    /// 1002
    public static let protocolError = WebSocketCloseCode(rawValue: 1002)
    /// 1003: a kind of message that is not accepted.
    public static let unsupportedData = WebSocketCloseCode(rawValue: 1003)
    /// 1005: the close frame has no code. Never sent.
    public static let noStatusReceived = WebSocketCloseCode(rawValue: 1005)
    /// 1006: the connection has ended without a close frame. Never sent.
    public static let abnormalClosure = WebSocketCloseCode(rawValue: 1006)
    /// 1007: a message is not what its type says, such as text that is not UTF-8.
    public static let invalidFramePayloadData = WebSocketCloseCode(rawValue: 1007)
    /// 1008
    public static let policyViolation = WebSocketCloseCode(rawValue: 1008)
    /// 1009
    public static let messageTooBig = WebSocketCloseCode(rawValue: 1009)
    /// 1010: the server did not negotiate an extension that the client needs.
    public static let mandatoryExtensionMissing = WebSocketCloseCode(rawValue: 1010)
    /// 1011
    public static let internalServerError = WebSocketCloseCode(rawValue: 1011)
    /// 1012
    public static let serviceRestart = WebSocketCloseCode(rawValue: 1012)
    /// 1013
    public static let tryAgainLater = WebSocketCloseCode(rawValue: 1013)
    /// 1014: a gateway had no valid response from its server.
    public static let badGateway = WebSocketCloseCode(rawValue: 1014)
    /// 1015: the TLS handshake failed. Never sent.
    public static let tlsHandshakeFailure = WebSocketCloseCode(rawValue: 1015)

    /// Whether a close frame may have the code: 1000 to 1014 without 1004, 1005 and 1006, and 3000 to 4999.
    public var isSendable: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}

/// What a close frame says.
public struct WebSocketClose: Sendable, Hashable {
    /// The code; ``WebSocketCloseCode/noStatusReceived`` for a frame without one.
    public var code: WebSocketCloseCode
    /// The text after the code, at most 123 bytes in UTF-8.
    public var reason: String

    /// A close with a code and a text, which may be empty.
    public init(_ code: WebSocketCloseCode, reason: String = "") { (self.code, self.reason) = (code, reason) }
}

extension WebSocketClose: CustomStringConvertible {
    /// For example `1001 (the server restarts)`.
    public var description: String { reason.isEmpty ? "\(code.rawValue)" : "\(code.rawValue) (\(reason.excerpt))" }
}

extension WebSocketFailure: CustomStringConvertible {
    /// What a close frame told, or was told, about it; nil for what no frame is sent for.
    public var close: WebSocketClose? {
        switch self {
        case .handshake, .unsendableClose: nil
        case .violation(let violation): WebSocketClose(violation.closeCode, reason: violation.rawValue)
        case .messageTooLarge: WebSocketClose(.messageTooBig)
        case .undecodable: WebSocketClose(.invalidFramePayloadData)
        case .closed(let close): close
        case .noPong: WebSocketClose(.goingAway, reason: "no pong")
        }
    }

    var rule: String {
        switch self {
        case .handshake(let violation): violation.rawValue
        case .violation(let violation): violation.rawValue
        case .closed(let close): "\(close.code.rawValue)"
        case .messageTooLarge, .undecodable, .noPong, .unsendableClose: description
        }
    }

    /// One line for a log. Contains nothing of a message.
    public var description: String {
        switch self {
        case .handshake(let violation): "the server's 101 opens no WebSocket: \(violation)"
        case .violation(let violation): "the server breaks RFC 6455: \(violation)"
        case .messageTooLarge(let limit): "a message is longer than \(limit) bytes"
        case .undecodable(let flaw): "a message cannot be decompressed: \(flaw)"
        case .closed(let close) where close.code == .abnormalClosure:
            "the connection ended without a close frame"
        case .closed(let close): "the WebSocket is closed: \(close)"
        case .noPong(let limit): "the server sent nothing within \(limit) after a ping"
        case .unsendableClose(let close) where !close.code.isSendable:
            "the close code \(close.code.rawValue) cannot be sent"
        case .unsendableClose: "the reason of a close is longer than 123 bytes"
        }
    }
}

extension WebSocketHandshakeViolation: CustomStringConvertible {
    /// A sentence's part, such as `its Upgrade field is not websocket (RFC 6455 §4.1)`.
    public var description: String {
        switch self {
        case .upgrade: "its Upgrade field is not websocket (RFC 6455 §4.1)"
        case .accept: "its Sec-WebSocket-Accept is missing or not the key's (RFC 6455 §4.1)"
        case .subprotocol: "its Sec-WebSocket-Protocol was not offered (RFC 6455 §4.1)"
        case .extensions: "its Sec-WebSocket-Extensions were not offered so (RFC 6455 §4.1, RFC 7692 §7.1)"
        }
    }
}

extension WebSocketViolation: CustomStringConvertible {
    /// A sentence's part, such as `a reserved bit is set (§5.2)`.
    public var description: String {
        switch self {
        case .reservedBit: "a reserved bit is set (§5.2)"
        case .opcode: "an opcode is reserved (§5.2)"
        case .length: "a length is not in its shortest form, or too large (§5.2)"
        case .mask: "a frame is masked, or not, against its role (§5.1)"
        case .fragmentedControlFrame: "a control frame is fragmented (§5.5)"
        case .controlFrameTooLong: "a control frame has more than 125 bytes (§5.5)"
        case .unfinishedMessage: "a message begins within another one (§5.4)"
        case .nothingToContinue: "a frame continues no message (§5.4)"
        case .invalidUTF8: "a text is not UTF-8 (§8.1)"
        case .closeCode: "a close frame has a code that is not sent (§7.4)"
        }
    }
}
