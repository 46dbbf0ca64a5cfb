// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// Opens and secures connections for a raw stream. On its loop's thread.
protocol StreamAssistant: AnyObject {
    /// Opens a connection, and calls back once, later, unless it is cancelled.
    func open(_ completion: @escaping (Result<Handover, StreamFailure>) -> Void)

    /// Shakes hands with `server` over what stands, and judges it; likewise.
    func secure(
        _ handover: Handover, with server: HTTPOrigin, _ completion: @escaping (Result<Handover, StreamFailure>) -> Void
    )

    /// Lets go of what is under way, the socket included.
    func cancel()
}

/// Receives what happens to a raw stream. On its loop's thread.
protocol StreamListener: AnyObject {
    /// Nothing more can be read.
    func streamReadClosed()

    /// Nothing more can be written.
    func streamWriteClosed()

    /// There is a connection, or a secured one.
    func streamOpened(_ metrics: ConnectionMetrics)

    /// It is over: in order, or not. Told once, and last.
    func streamEnded(_ failure: StreamFailure?)
}
