// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// Opens and secures connections for a raw stream. On its loop's thread.
protocol StreamAssistant: AnyObject {
    /// Opens a connection, and calls back once, later, unless it is cancelled.
    func open(_ completion: @escaping (Result<Handover, StreamFailure>) -> Void)

    /// Performs a TLS handshake with `server` over the connection, and evaluates it; calls back likewise.
    func secure(
        _ handover: Handover, with server: HTTPOrigin, _ completion: @escaping (Result<Handover, StreamFailure>) -> Void
    )

    /// Cancels pending work, and closes its socket.
    func cancel()
}

/// Receives the events of a raw stream. On its loop's thread.
protocol StreamListener: AnyObject {
    /// No more can be read.
    func streamReadClosed()

    /// No more can be written.
    func streamWriteClosed()

    /// The connection is open, or secured.
    func streamOpened(_ metrics: ConnectionMetrics)

    /// The stream has ended, with or without an error. Called once, and last.
    func streamEnded(_ failure: StreamFailure?)
}
