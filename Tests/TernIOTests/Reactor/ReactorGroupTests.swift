// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernIO

@Suite(.timeLimit(.minutes(1))) struct ReactorGroupTests {
    @Test(arguments: [(-1, 1), (0, 1), (1, 1), (3, 3)])
    func `a group has as many reactors as asked for, and at least one`(asked: Int, given: Int) throws {
        #expect(try ReactorGroup(count: asked).reactors.count == given)
    }

    @Test func `all users share one group for as long as it is referenced`() throws {
        let first = try ReactorGroup.shared()
        let second = try ReactorGroup.shared()
        #expect(first === second)
        #expect(!first.reactors.isEmpty)
    }

    @Test func `the shared group works however often it comes and goes`() async throws {
        for _ in 0..<50 {
            let reactor = try #require(try ReactorGroup.shared().reactors.first)
            let isCurrent = await Task(executorPreference: reactor) { reactor.loop.isCurrent }.value
            #expect(isCurrent)
        }
    }

    @Test func `users on many threads get a group that is alive`() async throws {
        let alive = try await withThrowingTaskGroup(of: Bool.self) { tasks in
            for _ in 0..<8 {
                tasks.addTask {
                    var alive = true
                    for _ in 0..<50 {
                        let group = try ReactorGroup.shared()
                        guard let reactor = group.reactors.first else { return false }
                        alive = await Task(executorPreference: reactor) { reactor.loop.isCurrent }.value && alive
                    }
                    return alive
                }
            }
            return try await tasks.reduce(true) { $0 && $1 }
        }
        #expect(alive)
    }
}
