// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLock
import TernTLS
import TernTesting
import Testing

@testable import TernEngine

@Suite(.timeLimit(.minutes(5))) struct StreamTaskAsyncTests {
    /// A stream does not keep its session.
    private let session = Session.limited()

    /// A server of bytes: its script runs for each connection.
    private static func server(_ steps: [ScriptedOrigin.Step]) throws -> ScriptedOrigin {
        try ScriptedOrigin(onAccept: { _ in steps }) { _, _ in [.awaitClose] }
    }

    private static func stream(to origin: ScriptedOrigin, _ session: Session) -> StreamTask {
        let task = session.streamTask(withHostName: "127.0.0.1", port: Int(origin.port))
        task.resume()
        return task
    }

    private static func read(_ task: StreamTask, _ least: Int = 1, _ most: Int = 1000) async throws -> (String, Bool) {
        let (data, isAtEnd) = try await task.readData(ofMinLength: least, maxLength: most, timeout: .seconds(60))
        return (String(decoding: data ?? Data(), as: UTF8.self), isAtEnd)
    }

    private static func failure<R>(_ body: () async throws -> R) async -> SessionError? {
        do {
            _ = try await body()
            return nil
        } catch {
            return error as? SessionError
        }
    }

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
