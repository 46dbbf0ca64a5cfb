// SPDX-License-Identifier: Apache-2.0

/// One thing the origin does with a connection. Steps run in order; after the last one the origin reads the next
/// request, unless a step has ended the connection.
public enum OriginStep: Sendable {
    /// Sends the bytes, waiting for the client to make room if need be.
    case send([UInt8])
    /// Sends the bytes one after another with a pause after each.
    case drip([UInt8], every: Duration)
    /// Sends the bytes this number of times: a large body without a large array.
    case `repeat`([UInt8], count: Int)
    /// Sends the bytes beneath TLS, as they are. Over plain TCP the same as `send`.
    case sendBelowTLS([UInt8])
    /// Asks for new traffic keys in both directions (TLS 1.3; otherwise nothing).
    case updateKeys
    /// Lets the time pass without reading.
    case pause(Duration)
    /// Waits until this number of bytes is unread after what was read of this request. In `onHead`: bytes of the
    /// body, still encoded. In `onAccept`: bytes of the wire, such as a ClientHello.
    case receive(Int)
    /// Shakes hands now rather than after the steps of `onAccept`. Nothing to do over plain TCP.
    case handshake
    /// Neither reads nor writes until ``ScriptedOrigin/release()``, or until the client closes.
    case hold
    /// Reads and discards until the client closes.
    case awaitClose
    /// Sends close_notify over TLS, then FIN, and closes. What a client sends later is answered with RST.
    case close
    /// Sends close_notify over TLS, then FIN, and goes on reading until the client closes.
    case halfClose
    /// Sends FIN without a close_notify, and closes. Over plain TCP the same as `close`.
    case closeAbruptly
    /// Closes with RST.
    case reset
}
