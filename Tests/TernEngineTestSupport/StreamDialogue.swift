// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting

@testable import TernEngine

/// A suite that talks to servers of bytes.
protocol StreamDialogue {}

extension StreamDialogue {
    /// A server of bytes: its script runs for each connection.
    static func server(_ steps: [ScriptedOrigin.Step]) throws -> ScriptedOrigin {
        try ScriptedOrigin(onAccept: { _ in steps }) { _, _ in [.awaitClose] }
    }

    static func stream(to origin: ScriptedOrigin, _ session: Session) -> StreamTask {
        let task = session.streamTask(withHostName: "127.0.0.1", port: Int(origin.port))
        task.resume()
        return task
    }

    static func read(_ task: StreamTask, _ least: Int = 1, _ most: Int = 1000) async throws -> (String, Bool) {
        let (data, isAtEnd) = try await task.readData(ofMinLength: least, maxLength: most, timeout: .seconds(60))
        return (String(decoding: data ?? Data(), as: UTF8.self), isAtEnd)
    }

    static func failure<R>(_ body: () async throws -> R) async -> SessionError? {
        do {
            _ = try await body()
            return nil
        } catch {
            return error as? SessionError
        }
    }
}
