// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLock
import TernTesting
import TestProofs
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(5))) struct SessionTaskEndingTests {
    @Test(.proves("1.4c")) func `releases its delegate at its end`() async throws {
        final class Keeper: SessionTaskDelegate {
            let task = Lock<SessionTask?>(nil)
            let ends: AsyncStream<Void>.Continuation

            init(_ ends: AsyncStream<Void>.Continuation) { self.ends = ends }

            func task(_ task: SessionTask, didCompleteWith error: SessionError?) { ends.yield() }
        }
        let origin = try ScriptedOrigin { _, _ in [.ok("answer")] }
        let session = Session.limited()
        let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
        weak var released: Keeper?
        do {
            let keeper = Keeper(continuation)
            released = keeper
            let task = session.dataTask(with: try URLRequest(origin), delegate: keeper)
            keeper.task.withLock { $0 = task }
            task.resume()
        }
        for await _ in ends { break }
        await session.settle()
        #expect(released == nil)
    }

    /// Steers one task from several threads at once, while its response comes and, now and then, its session goes.
    @Test(arguments: [false, true]) func `ends once, whatever calls come from any thread`(isSecure: Bool) async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: isSecure ? authority.issue() : nil) { _, request in
            request.index % 5 == 4
                ? [.close] : [.chunked(Array(repeating: String(repeating: "x", count: 1000), count: 50))]
        }
        for seed in 0..<30 {
            let holder = SessionHolder(
                try Session.trusting(authority, connections: 3) { $0.reactorCount = 1 + seed % 2 })
            let request = try URLRequest(origin)
            let delegates = await withTaskGroup(of: [RecordingDelegate].self) { group in
                for worker in 0..<4 {
                    group.addTask {
                        var generator = SeededGenerator(seed: UInt64(seed * 10 + worker))
                        var delegates: [RecordingDelegate] = []
                        for _ in 0..<10 {
                            let delegate = RecordingDelegate()
                            guard let task = holder.session?.dataTask(with: request, delegate: delegate) else {
                                break
                            }
                            task.resume()
                            delegates.append(delegate)
                            let steps = (0..<4).map { _ in Int.random(in: 0..<20, using: &generator) }
                            await withTaskGroup(of: Void.self) { group in
                                for step in steps {
                                    group.addTask {
                                        switch step {
                                        case 0..<6:
                                            task.suspend()
                                            task.resume()
                                        case 6..<12: task.resume()
                                        case 12..<15: task.cancel()
                                        case 15: await delegate.wait { $0.completions > 0 || !$0.body.isEmpty }
                                        default: _ = (task.metrics, task.error)
                                        }
                                    }
                                }
                            }
                            // A resume may have come before the suspend it was to take back.
                            task.resume()
                            task.resume()
                            task.resume()
                            task.resume()
                        }
                        if worker == 0, seed % 3 == 0 { holder.drop() }
                        return delegates
                    }
                }
                return await group.reduce(into: []) { $0 += $1 }
            }
            for delegate in delegates {
                let record = await delegate.end()
                #expect(record.completions == 1)
                #expect(record.error != nil || record.body.count == 50_000)
            }
            holder.drop()
            for delegate in delegates {
                let record = delegate.record
                #expect(record.completions == 1)
                if case .end = record.events.last {} else { Issue.record("\(record.events)") }
            }
        }
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }
}
