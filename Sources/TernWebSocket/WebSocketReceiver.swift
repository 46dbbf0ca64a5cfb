// SPDX-License-Identifier: Apache-2.0
public import TernEngine

/// Receives the messages of a ``WebSocket`` as they arrive, on the reactor's thread: without a copy, and in pieces where
/// a message is long or fragmented. Nothing is received while a call runs.
public protocol WebSocketReceiver: AnyObject, Sendable {
    /// A piece of a message: the bytes are valid during the call. The bytes of a text are UTF-8, but for a character that the
    /// piece ends within.
    func webSocket(_ socket: WebSocket, didReceive bytes: Span<UInt8>, of message: WebSocketPart)

    /// There are no more messages: the server has closed the WebSocket, or was told so because of `error`. Called once,
    /// unless the WebSocket was let go of.
    func webSocket(_ socket: WebSocket, didCloseWith close: WebSocketClose, error: SessionError?)
}

/// Which part of which message a piece is.
public struct WebSocketPart: Sendable, Hashable {
    /// Whether the message is a text.
    public let isText: Bool
    /// Whether the message begins with the piece.
    public let isFirst: Bool
    /// Whether it ends with it.
    public let isLast: Bool
}

/// Is told how a ``WebSocket`` ends, whether it receives the messages or not. On the reactor's thread.
package protocol WebSocketObserver: AnyObject, Sendable {
    /// There are no more messages: both sides have closed the WebSocket, or it has failed.
    func webSocketDidClose(with close: WebSocketClose, error: SessionError?)
    /// The connection is over, and every call was answered. Called once, and last.
    func webSocketDidEnd(_ error: SessionError?)
}
