// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport
@testable import TernIO

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
        #expect(!HopPolicies(of: SessionConfiguration()).recovering.contains { $0 is Connectivity })
    }

    @Test func `all tasks that wait share one descriptor, and return it`() async throws {
        let address = try #require(TransportAddress(literal: "198.51.100.1", port: 80))
        let attempt = ConnectError.Attempt(address: address, error: SystemCallError(.connect, code: ENETUNREACH))
        let failure = AttemptFailure(
            reason: .connecting(.unreachable(ConnectError(attempts: [attempt]))), phase: .connect)
        var cancellations: [() -> Void] = []
        for _ in 0..<300 {
            // The second wait of a task ends with a change, which no test makes.
            var history = TaskHistory(try URLRequest(string: "http://198.51.100.1/"))
            for _ in 0..<2 {
                guard case .wait(let lookup, _) = Connectivity().decide(on: failure, &history) else {
                    Issue.record("does not wait")
                    return
                }
                cancellations.append(lookup { _ in })
            }
        }
        #expect(NetlinkSockets.monitorCount == 1)
        for cancel in cancellations { cancel() }
        #expect(await eventually { NetlinkSockets.monitorCount == 0 })
    }
}

/// The netlink sockets of this process.
private enum NetlinkSockets {
    /// The number of those that receive changes.
    static var monitorCount: Int {
        let folder = "/proc/self/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let links = Set(
            names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") })
        let table = try? FileHandle(forReadingAtPath: "/proc/net/netlink")?.readToEnd()
        return String(decoding: table ?? Data(), as: UTF8.self).split(separator: "\n").dropFirst().count { line in
            let fields = line.split(separator: " ")
            return fields.count == 10 && fields[3] != "00000000" && links.contains("socket:[\(fields[9])]")
        }
    }
}
