// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import Synchronization
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport
import TernLock

@Suite(.timeLimit(.minutes(5))) struct ConnectionPoolTests {
    @Test func `finds a connection for a request that is sent again behind others`() async throws {
        let origin = try ScriptedOrigin { connection, request in
            connection == 1 && request.index == 1 ? [.hold, .reset] : [.ok(request.target)]
        }
        let session = Session.limited()
        _ = try await session.data(for: URLRequest(origin, "/first"))
        let again = RecordingDelegate()
        session.dataTask(with: try URLRequest(origin, "/again"), delegate: again).resume()
        #expect(await origin.waitFor { $0.requestCount == 2 })
        let behind = RecordingDelegate()
        session.dataTask(with: try URLRequest(origin, "/behind"), delegate: behind).resume()
        await session.settle()
        try origin.release()
        #expect(await behind.end().body == Array("/behind".utf8))
        #expect(await again.end().body == Array("/again".utf8))
    }

    @Test func `keeps to its limit when a request is sent again`() async throws {
        let origin = try ScriptedOrigin { connection, request in
            connection == 1 ? (request.index == 0 ? [.ok()] : [.close]) : [.ok("answer")]
        }
        let session = Session.limited()
        _ = try await session.data(for: URLRequest(origin))
        for _ in 0..<5 { #expect(try await session.text(URLRequest(origin)) == "answer") }
        #expect(origin.connectionCount == 2)
    }

    @Test func `belongs to its session although its last connection was found dead by a new request`() async throws {
        let stale = try ScriptedOrigin { connection, _ in connection == 1 ? [.ok(), .hold, .close] : [.hold] }
        let trigger = try ScriptedOrigin { _, request in
            request.index == 0 ? [.ok()] : [.hold, .ok()]
        }
        let holder = SessionHolder(.limited())
        _ = try await holder.session?.data(for: URLRequest(stale))
        _ = try await holder.session?.data(for: URLRequest(trigger))
        let late = RecordingDelegate()
        let lateTask = holder.session?.dataTask(with: try URLRequest(stale), delegate: late)
        let first = RecordingDelegate { _, event in if case .head = event { lateTask?.resume() } }
        holder.session?.dataTask(with: try URLRequest(trigger), delegate: first).resume()
        #expect(await trigger.waitFor { $0.requestCount == 2 })
        // Both come in one batch of events: the response that starts the late task, then the close that it must notice.
        await holder.session?.onReactor {
            let sent = trigger.observations.bytesSent
            try? trigger.release()
            while trigger.observations.bytesSent == sent { sched_yield() }
            try? stale.release()
            while stale.observations.openConnections > 0 { sched_yield() }
        }
        #expect(await stale.waitFor { $0.requestCount == 2 })
        holder.drop()
        #expect(await late.end().error?.reason.isInvalidation == true)
        #expect(await stale.waitFor { $0.openConnections == 0 })
    }

    @Test func `a cancelled request takes no other's connection with it`() async throws {
        let hole = try BlackHole()
        let request = URLRequest(url: try #require(URL(string: hole.url)))
        let session = Session.limited(to: 2)
        let (patient, hasty) = (RecordingDelegate(), RecordingDelegate())
        let start = ContinuousClock.now
        let task = session.dataTask(with: request.limited(to: Timeouts(connect: .seconds(20))), delegate: patient)
        task.resume()
        session.dataTask(with: request.limited(to: Timeouts(connect: .milliseconds(300))), delegate: hasty).resume()
        await session.settle()
        task.cancel()
        #expect(await patient.end().error?.reason.isCancellation == true)
        let record = await hasty.end()
        #expect(record.error?.reason.limit == .connect)
        #expect(record.end - start < .seconds(8))
    }

    @Test(arguments: [false, true])
    func `connects and sends nothing for a thousand that are cancelled first to last`(onReactor: Bool) async throws {
        let origin = try ScriptedOrigin { _, _ in [.hold] }
        let session = Session.limited(to: 16)
        let delegates = (0..<1000).map { _ in RecordingDelegate() }
        let tasks = try delegates.map { session.dataTask(with: try URLRequest(origin), delegate: $0) }
        for task in tasks { task.resume() }
        #expect(await origin.waitFor { $0.requestCount == 16 })
        if onReactor {
            await session.onReactor { for task in tasks { task.cancel() } }
        } else {
            for task in tasks { task.cancel() }
        }
        for delegate in delegates { #expect(await delegate.end().error?.reason.isCancellation == true) }
        // A connection becomes idle when all waiters have been cancelled by another thread, and their commands are
        // pending.
        if !onReactor { session.invalidateAndCancel() }
        #expect(await origin.waitFor { $0.openConnections == 0 })
        // A waiter that is cancelled a moment after a connection was lost may have got one already.
        #expect(origin.connectionCount <= (onReactor ? 16 : 64))
        #expect(origin.requests.count <= (onReactor ? 16 : 64))
        #expect(delegates.allSatisfy { $0.record.completions == 1 })
    }

    @Test func `does not serve one whose cancellation is pending`() async throws {
        let origin = try ScriptedOrigin { _, request in request.target == "/first" ? [.hold, .ok()] : [.ok("answer")] }
        let session = Session.limited()
        let (first, given, last) = (RecordingDelegate(), RecordingDelegate(), RecordingDelegate())
        session.dataTask(with: try URLRequest(origin, "/first"), delegate: first).resume()
        #expect(await origin.waitFor { $0.requestCount == 1 })
        let givenUp = session.dataTask(with: try URLRequest(origin, "/given-up"), delegate: given)
        givenUp.resume()
        session.dataTask(with: try URLRequest(origin, "/last"), delegate: last).resume()
        await session.settle()
        // The answer lies in the socket, and the cancellation in the mail, when the reactor looks up.
        let (isBusy, isCancelled) = (Moment(), Moment())
        await withTaskGroup { group in
            group.addTask {
                await session.onReactor {
                    isBusy.come()
                    while !isCancelled.hasCome { sched_yield() }
                }
            }
            while !isBusy.hasCome { await Task.yield() }
            givenUp.cancel()
            try? origin.release()
            #expect(ClientSockets.waitForInput(of: 1, from: origin.port))
            isCancelled.come()
        }
        #expect(await last.end().body == Array("answer".utf8))
        let record = await given.end()
        #expect(record.error?.reason.isCancellation == true)
        #expect(record.error?.phase == .pool)
        #expect(given.record.completions == 1)
        #expect(origin.requests.map(\.target) == ["/first", "/last"])
    }

    @Test func `a request that inherits another's connection has its own time to connect`() async throws {
        let hole = try BlackHole()
        let request = URLRequest(url: try #require(URL(string: hole.url)))
        let session = Session.limited()
        let (patient, heir) = (RecordingDelegate(), RecordingDelegate())
        let limits = Timeouts(connect: .milliseconds(300), total: .seconds(30))
        let task = session.dataTask(with: request.limited(to: Timeouts(connect: .seconds(600))), delegate: patient)
        task.resume()
        session.dataTask(with: request.limited(to: limits), delegate: heir).resume()
        await session.settle()
        task.cancel()
        #expect(await patient.end().error?.reason.isCancellation == true)
        let error = await heir.end().error
        #expect(error?.reason.limit == .connect)
        #expect(error?.phase == .connect)
    }

    @Test func `a request that is sent again comes before those who fill the queue`() async throws {
        let origin = try ScriptedOrigin { connection, request in
            connection == 1 && request.index == 1 ? [.hold, .reset] : [.ok(request.target)]
        }
        let session = Session.limited { $0.maximumQueuedRequestsPerHost = 1 }
        _ = try await session.data(for: URLRequest(origin, "/first"))
        let (again, behind) = (RecordingDelegate(), RecordingDelegate())
        session.dataTask(with: try URLRequest(origin, "/again"), delegate: again).resume()
        #expect(await origin.waitFor { $0.requestCount == 2 })
        session.dataTask(with: try URLRequest(origin, "/behind"), delegate: behind).resume()
        await session.settle()
        try origin.release()
        #expect(await again.end().body == Array("/again".utf8))
        #expect(await behind.end().body == Array("/behind".utf8))
        #expect(origin.requests.map(\.target) == ["/first", "/again", "/again", "/behind"])
        #expect(origin.connectionCount == 2)
    }

    @Test func `does not grow the stack of a task that is started again from its own end`() async throws {
        // Connecting to the broadcast address fails within the call, and sends nothing.
        let request = URLRequest(url: try #require(URL(string: "http://255.255.255.255/")))
        try await restart(request, with: .limited())
    }

    @Test func `does not grow the stack of a task that finds the queue full again and again`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.hold] }
        let session = Session.limited {
            $0.maximumQueuedRequestsPerHost = 1
            $0.timeouts.idle = nil
        }
        for _ in 0..<2 { session.dataTask(with: try URLRequest(origin), delegate: RecordingDelegate()).resume() }
        #expect(await origin.waitFor { $0.requestCount == 1 })
        try await restart(URLRequest(origin), with: session)
    }

    /// Starts a task from the end of the one before, over and over, and looks where the stack is then.
    private func restart(_ request: URLRequest, with session: Session) async throws {
        final class Restarter: SessionTaskDelegate {
            let depths = Lock<[UInt]>([])
            let done: CheckedContinuation<[UInt], Never>
            let session: Session
            let request: URLRequest

            init(_ request: URLRequest, _ session: Session, _ done: CheckedContinuation<[UInt], Never>) {
                self.request = request
                self.session = session
                self.done = done
            }

            func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
                var local: UInt8 = 0
                let depth = unsafe withUnsafePointer(to: &local) { UInt(bitPattern: $0) }
                let depths = depths.withLock {
                    $0.append(depth)
                    return $0
                }
                if depths.count == 500 { return done.resume(returning: depths) }
                session.dataTask(with: request, delegate: self).resume()
            }
        }
        let depths = await withCheckedContinuation { done in
            session.dataTask(with: request, delegate: Restarter(request, session, done)).resume()
        }
        let (lowest, highest) = (depths.min() ?? 0, depths.max() ?? 0)
        #expect(highest - lowest < 4096)
    }
}

/// Comes once, on whatever thread.
private final class Moment: Sendable {
    private let state = Atomic(false)
    var hasCome: Bool { state.load(ordering: .acquiring) }
    func come() { state.store(true, ordering: .releasing) }
}
