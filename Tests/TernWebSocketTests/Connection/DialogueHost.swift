// SPDX-License-Identifier: Apache-2.0
import TernEngine
import TernIO
import TernLock

@testable import TernWebSocket

/// A stream with a clock that a test moves.
final class DialogueHost: WebSocketHost {
    private let state = Lock<(time: MonotonicInstant, work: [@Sendable () -> Void])>(
        (MonotonicInstant(nanoseconds: 0), []))
    let events = Lock<[WebSocketEvent]>([])

    var tickTime: MonotonicInstant { state.withLock { $0.time } }
    var exactTime: MonotonicInstant { tickTime }
    var isCurrent: Bool { true }

    func advance(by duration: Duration) { state.withLock { $0.time = $0.time.advanced(by: duration) } }

    func perform(_ work: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { $0.work.append(work) }
        return true
    }

    func afterTick(_ work: @escaping @Sendable () -> Void) { state.withLock { $0.work.append(work) } }

    @unsafe func resume(_ continuation: UnsafeContinuation<Void, Never>) { unsafe continuation.resume() }

    func error(_ reason: SessionError.Reason) -> SessionError { SessionError(reason, phase: .body) }

    func tell(_ event: TaskEvent) { if case .webSocket(let event) = event { events.withLock { $0.append(event) } } }

    func run() {
        while true {
            let work = state.withLock { state in
                defer { state.work = [] }
                return state.work
            }
            if work.isEmpty { return }
            for item in work { item() }
        }
    }
}
