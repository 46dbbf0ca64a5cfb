// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLock
import TernTLS
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(5))) struct StreamTaskAsyncTests: StreamDialogue {
    /// A stream does not keep its session.
    private let session = Session.limited()

    @Test func `a read that runs out of time fails alone`() async throws {
        let origin = try Self.server([.send("ab"), .hold, .send("c")])
        let task = Self.stream(to: origin, session)
        #expect(try await Self.read(task, 1, 1) == ("a", false))
        let failure = await Self.failure {
            try await task.readData(ofMinLength: 2, maxLength: 2, timeout: .milliseconds(50))
        }
        #expect(failure?.reason.limit == .read)
        try origin.release()
        #expect(try await Self.read(task, 2, 2) == ("bc", false))
    }

    @Test func `cancelling a reader cancels the stream`() async throws {
        let origin = try Self.server([.send("x"), .awaitClose])
        let task = Self.stream(to: origin, session)
        #expect(try await Self.read(task) == ("x", false))
        let reader = Task { await Self.failure { try await Self.read(task) } }
        reader.cancel()
        #expect(await reader.value?.reason.isCancellation == true)
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }
}
