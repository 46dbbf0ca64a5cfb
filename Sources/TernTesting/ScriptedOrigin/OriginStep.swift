// SPDX-License-Identifier: Apache-2.0

/// An action of the origin on a connection. Steps run in order; after the last one the origin reads the next request,
/// unless a step has ended the connection.
public enum OriginStep: Sendable {
    /// Sends the bytes, waiting for the client to make room if necessary.
    case send([UInt8])
    /// Sends the bytes one after another with a pause after each.
    case drip([UInt8], every: Duration)
    /// Sends the bytes this number of times: a large body without a large array.
    case `repeat`([UInt8], count: Int)
    /// Sends the bytes below TLS, unencrypted. Over plain TCP the same as `send`.
    case sendBelowTLS([UInt8])
    /// Requests new traffic keys in both directions (TLS 1.3; otherwise no effect).
    case updateKeys
    /// Waits without reading.
    case pause(Duration)
    /// Waits until this number of bytes has arrived and is unread. In `onHead`: bytes of the body, still encoded. In
    /// `onAccept`: bytes on the wire, such as a ClientHello.
    case receive(Int)
    /// Performs the TLS handshake now rather than after the steps of `onAccept`. No effect over plain TCP.
    case handshake
    /// Neither reads nor writes until ``ScriptedOrigin/release()``, or until the client closes.
    case hold
    /// Reads and discards until the client closes.
    case awaitClose
    /// Sends close_notify over TLS, then FIN, and closes. Later bytes of the client are answered with RST.
    case close
    /// Sends close_notify over TLS, then FIN, and continues reading until the client closes.
    case halfClose
    /// Sends FIN without a close_notify, and closes. Over plain TCP the same as `close`.
    case closeAbruptly
    /// Closes with RST.
    case reset
}
