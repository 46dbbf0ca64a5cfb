// SPDX-License-Identifier: Apache-2.0
import TernEngine
import TernIO

/// What a WebSocket needs of its stream.
protocol WebSocketHost: AnyObject, Sendable {
    var tickTime: MonotonicInstant { get }
    var exactTime: MonotonicInstant { get }
    /// Whether the caller runs on the reactor's thread.
    var isCurrent: Bool { get }
    /// Runs `work` there, and goes on with the stream. False if it cannot.
    func perform(_ work: @escaping @Sendable () -> Void) -> Bool
    func afterTick(_ work: @escaping @Sendable () -> Void)
    @unsafe func resume(_ continuation: UnsafeContinuation<Void, Never>)
    func error(_ reason: SessionError.Reason) -> SessionError
    func tell(_ event: TaskEvent)
}
