// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// The dialogue with a proxy before a tunnel is open, without I/O: bytes become steps.
protocol TunnelHandshake {
    /// The bytes to send first.
    mutating func begin() throws(ProxyError) -> [UInt8]

    /// Continues with received bytes, moving `offset` past those it consumed.
    mutating func receive(_ bytes: [UInt8], from offset: inout Int) throws(ProxyError) -> TunnelStep

    /// The proxy has closed the connection, or time is up: the error, which may tell what has arrived so far.
    func brokenOff() -> ProxyError?

    /// The final head of the answer to CONNECT; nil before that, and in SOCKS.
    var answer: ResponseHead? { get }
}

/// What follows from received bytes.
enum TunnelStep: Equatable {
    /// Wait for more.
    case wait
    /// Send this, and wait for the answer.
    case send([UInt8])
    /// The tunnel is open. Bytes that follow come from its other end.
    case open
    /// The proxy requests a credential, and the client has another answer: over a new connection.
    case repeated
}
