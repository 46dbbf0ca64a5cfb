// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import TernLock

/// What other users of the process notice: a session that asks a healthy server about every millisecond, on the
/// reactors that it shares with the session under attack.
final class Pinger: Sendable {
    private struct State {
        var delays = LatencyCounter()
        var failures = 0
        var pending: Ping?
        var isOver = false
        /// The threads that pings were answered on.
        var reactors: Set<Int32> = []
    }

    private let state = Lock(State())
    private let session = Session()
    private let request: TernEngine.URLRequest
    private let ended = DispatchSemaphore(value: 0)

    init(port: Int) throws {
        request = try Question.request("http://127.0.0.1:\(port)/good/1/4")
        Thread.detachNewThread { self.run() }
    }

    /// The delays since the last call; a ping that still waits counts with what it has waited.
    func take() -> Delays {
        state.withLock { state in
            if let pending = state.pending { state.delays.add(pending.delayUntilNow) }
            defer { (state.delays, state.failures) = (LatencyCounter(), 0) }
            return Delays(state.delays, failures: state.failures)
        }
    }

    /// Returns when the last ping has ended.
    func end() {
        state.withLock { $0.isOver = true }
        ended.wait()
    }

    private func run() {
        while !state.withLock(\.isOver) {
            let ping = Ping(reactors: state.withLock(\.reactors))
            state.withLock { $0.pending = ping }
            session.dataTask(with: request, delegate: ping).resume()
            let answer = ping.wait()
            state.withLock { state in
                state.pending = nil
                state.delays.add(answer.delay)
                state.reactors.insert(answer.thread)
                if !answer.isFine { state.failures += 1 }
            }
            usleep(1000)
        }
        ended.signal()
    }
}
