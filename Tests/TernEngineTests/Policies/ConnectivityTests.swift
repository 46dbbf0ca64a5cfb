// SPDX-License-Identifier: Apache-2.0
import TernLock
import TernTesting
import Testing

@testable import TernEngine

/// Has every hop that finds no connection wait.
private struct Waiting: HopPolicy {
    let interests = HopInterests.failures

    private struct Memory: PolicyMemory {
        var hasWaited = false
    }

    func decide(on failure: AttemptFailure, _ history: inout TaskHistory) -> HopRecovery {
        guard failure.kind == .limited else { return .pass }
        defer { history[Memory.self].hasWaited = true }
        return .wait(until: { _ in {} }, isFirst: !history[Memory.self].hasWaited)
    }
}

@Suite(.timeLimit(.minutes(1))) struct ConnectivityTests {
    @Test func `a hop that waits is sent again when the wait is over, and the first wait is told`() throws {
        var machine = TaskMachine(
            try URLRequest(string: "http://a.test/"), policies: HopPolicies([Waiting()]))
        _ = machine.start()
        var words = [machine.begin().word]
        let failure = AttemptFailure(reason: .connecting(.queueFull(limit: 1)), phase: .pool)
        for _ in 0..<2 {
            words.append(machine.failed(failure).word)
            let number: UInt64 = words.count < 3 ? 1 : 2
            words.append(machine.lookedUp(number, .ready).word)
        }
        #expect(words == ["send", "await network 1, first", "send", "await network 2", "send"])
        _ = machine.failed(failure)
        let failed = machine.lookedUp(3, .fail(.cancelled)).word
        #expect(failed == "fail cancelled, may be repeated")
    }

    @Test func `a server that refuses connections, and loopback, are no reason to wait`() async throws {
        let waits = Lock(0)
        final class Delegate: SessionTaskDelegate {
            let record = RecordingDelegate()
            let waits: @Sendable () -> Void

            init(_ waits: @escaping @Sendable () -> Void) { self.waits = waits }

            func taskIsWaitingForConnectivity(_ task: SessionTask) { waits() }

            func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
                record.task(task, didCompleteWith: error)
            }
        }
        let session = Session.limited { $0.waitsForConnectivity = true }
        // Port 1 is privileged, and no test listens there.
        for host in ["127.0.0.1", "localhost"] {
            let delegate = Delegate { waits.withLock { $0 += 1 } }
            session.dataTask(with: try URLRequest(string: "http://\(host):1/"), delegate: delegate).resume()
            #expect(await delegate.record.end().error?.reason.kind == .unreachable)
        }
        #expect(waits.withLock { $0 } == 0)
        #expect(HopPolicies(of: SessionConfiguration()).recovering.isEmpty)
    }
}
