// SPDX-License-Identifier: Apache-2.0

/// What happens on a WebSocket after its handshake, as an observer is told of it.
public enum WebSocketEvent: Sendable, Hashable {
    /// A message was accepted to be sent: whether it is a text, and its length in bytes before it is compressed.
    case sent(isText: Bool, size: Int)
    /// A message has arrived whole: whether it is a text, and its length in bytes after it was decompressed.
    case received(isText: Bool, size: Int)
    /// The WebSocket is closed: what the server's close frame says, or what it was told when something failed.
    case closed(WebSocketClose)
}
