// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// Who opens connections for a raw stream, as far as it knows him. On its loop's thread.
protocol StreamAssistant: AnyObject {
    /// Opens a connection, and calls back once, later, unless it is cancelled.
    func open(_ completion: @escaping (Result<Handover, StreamFailure>) -> Void)

    /// Shakes hands with `server` over what stands, and judges it; likewise.
    func secure(
        _ handover: Handover, with server: Origin, _ completion: @escaping (Result<Handover, StreamFailure>) -> Void)

    /// Lets go of what is under way, the socket included.
    func cancel()
}

/// Who is told what becomes of a raw stream. On its loop's thread.
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
