// SPDX-License-Identifier: Apache-2.0
import TernLock

/// The delegate of `Session.upgrade(for:)`: waits for a server to switch protocols.
///
/// The waiter is resumed once because a task completes once, which justifies `@safe`.
@safe
final class UpgradeWaiter: UpgradeDelegate {
    @safe
    private struct State {
        var response: HTTPURLResponse?
        var stream: StreamTask?
        var error: SessionError?
        var waiter: UnsafeContinuation<Void, Never>?
    }

    private let state = Lock(State())

    func start(_ task: SessionTask, _ continuation: UnsafeContinuation<Void, Never>) {
        state.withLock { unsafe $0.waiter = continuation }
        task.resume(runsInline: true)
    }

    func task(_ task: SessionTask, didReceive response: HTTPURLResponse) {
        state.withLock { $0.response = response }
        // Whatever the response is, it is not wanted.
        if response.statusCode != 101 { task.abandonBody() }
    }

    func task(_ task: SessionTask, didBecome stream: StreamTask) { state.withLock { $0.stream = stream } }

    func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
        let waiter = unsafe state.withLock { state in
            state.error = error
            return unsafe state.waiter.take()
        }
        unsafe waiter?.resume()
    }

    /// Returns the result of `task`, which has ended.
    func outcome(of task: SessionTask) throws(SessionError) -> (StreamTask, HTTPURLResponse) {
        let (stream, response, error) = state.withLock { ($0.stream.take(), $0.response, $0.error) }
        if let stream, let response { return (stream, response) }
        if let response, response.statusCode != 101 {
            throw task.error(.transfer(.upgradeRefused(status: response.statusCode)), phase: .head)
        }
        throw error ?? task.error(.transfer(.connectionLost(nil)), phase: .head)
    }
}
