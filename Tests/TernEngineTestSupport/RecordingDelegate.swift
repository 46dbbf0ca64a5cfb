// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernTesting

@testable import TernEngine
import TernLock

/// A delegate that records its calls, in order, and lets a test wait for the end or for an earlier moment.
final class RecordingDelegate: SessionTaskDelegate, Sendable {
    enum Event: Equatable {
        case informational(Int), head(Int), body(Int), trailers([String]), discarded([String]), end(failed: Bool)
    }

    struct Record {
        var events: [Event] = []
        var body: [UInt8] = []
        var error: SessionError?
        var completions = 0
        /// When the end came, on the reactor's thread.
        var end = ContinuousClock.now
    }

    private struct State {
        var record = Record()
        var waiters: [(condition: @Sendable (Record) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Lock(State())
    private let onEvent: (@Sendable (SessionTask, Event) -> Void)?

    /// `onEvent` runs on the reactor's thread, after the event was recorded.
    init(onEvent: (@Sendable (SessionTask, Event) -> Void)? = nil) {
        self.onEvent = onEvent
    }

    var record: Record { state.withLock { $0.record } }

    /// Waits until what was recorded fulfils `condition`, or the test's time is over: then it says what was recorded.
    func wait(for condition: @escaping @Sendable (Record) -> Bool) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    if condition(state.record) || Task.isCancelled { return true }
                    state.waiters.append((condition, continuation))
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            let (waiters, record) = state.withLock { state in
                defer { state.waiters = [] }
                return (state.waiters, state.record)
            }
            if !waiters.isEmpty { print("Waited in vain: \(record.events.suffix(5)), \(record.error as Any)") }
            for waiter in waiters { waiter.continuation.resume() }
        }
    }

    /// Waits for the end, and gives what had come until then.
    func end() async -> Record {
        await wait { $0.completions > 0 }
        return record
    }

    private func note(_ task: SessionTask, _ event: Event, _ change: (inout Record) -> Void = { _ in }) {
        let fulfilled = state.withLock { state in
            state.record.events.append(event)
            change(&state.record)
            let fulfilled = state.waiters.filter { $0.condition(state.record) }
            state.waiters.removeAll { $0.condition(state.record) }
            return fulfilled
        }
        for waiter in fulfilled { waiter.continuation.resume() }
        onEvent?(task, event)
    }

    func task(_ task: SessionTask, didReceiveInformational response: HTTPURLResponse) {
        note(task, .informational(response.statusCode))
    }

    func task(_ task: SessionTask, didReceive response: HTTPURLResponse) {
        note(task, .head(response.statusCode))
    }

    func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) {
        let copy = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
        note(task, .body(copy.count)) { $0.body += copy }
    }

    func task(_ task: SessionTask, didReceiveTrailers trailers: HeaderFields) {
        note(task, .trailers(trailers.map { "\($0.name): \($0.value)" }))
    }

    func task(_ task: SessionTask, didDiscardTrailers discarded: HeaderFields) {
        note(task, .discarded(discarded.map { "\($0.name): \($0.value)" }))
    }

    func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
        note(task, .end(failed: error != nil)) {
            $0.completions += 1
            $0.end = .now
            $0.error = error
        }
    }
}
