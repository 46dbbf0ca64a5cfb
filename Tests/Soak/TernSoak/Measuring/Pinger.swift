// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import TernEngine
import TernLock

/// What everybody else in the process feels: a session that asks a healthy server every other millisecond, on the reactors that
/// it shares with whoever is under attack.
final class Pinger: Sendable {
    private struct State {
        var samples: [Int32] = []
        var failures = 0
        var pendingSince: MonotonicInstant?
        var isOver = false
    }

    private let state = Lock(State())
    private let session = Session()
    private let request: TernEngine.URLRequest
    private let ended = DispatchSemaphore(value: 0)

    init(port: Int) throws {
        request = try Question.request("http://127.0.0.1:\(port)/good/1/4")
        state.withLock { $0.samples.reserveCapacity(1 << 17) }
        Thread.detachNewThread { self.run() }
    }

    /// The delays since the last call; a ping that still waits counts with what it has waited.
    func take() -> Delays {
        state.withLock { state in
            var samples = state.samples
            if let since = state.pendingSince { samples.append(Self.microseconds(since: since)) }
            let delays = Delays(microseconds: samples, failures: state.failures)
            state.samples.removeAll(keepingCapacity: true)
            state.failures = 0
            return delays
        }
    }

    /// Returns when the last ping has ended.
    func end() {
        state.withLock { $0.isOver = true }
        ended.wait()
    }

    private func run() {
        while !state.withLock(\.isOver) {
            let start = MonotonicInstant.now
            state.withLock { $0.pendingSince = start }
            let ping = Ping()
            session.dataTask(with: request, delegate: ping).resume()
            let isFine = ping.wait()
            state.withLock { state in
                state.pendingSince = nil
                state.samples.append(Self.microseconds(since: start))
                if !isFine { state.failures += 1 }
            }
            usleep(1000)
        }
        ended.signal()
    }

    private static func microseconds(since start: MonotonicInstant) -> Int32 {
        Int32(clamping: (MonotonicInstant.now.nanoseconds - start.nanoseconds) / 1000)
    }
}

/// One of its questions. The outcome is written before the semaphore is signalled and read after.
private final class Ping: SessionDataDelegate, @unchecked Sendable {
    private let completed = DispatchSemaphore(value: 0)
    private var isFine = false

    func wait() -> Bool {
        completed.wait()
        return isFine
    }

    func task(_ task: DataTask, didCompleteWith error: EngineError?) {
        isFine = error == nil
        completed.signal()
    }
}
