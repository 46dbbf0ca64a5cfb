// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import TestProofs
import Testing

@testable import Tern
@testable import TernAFNetworking

@Suite(.timeLimit(.minutes(2))) struct AFTaskRegistryTests {
    private let manager = AFURLSessionManager()

    /// The result of a completion handler.
    private struct Outcome: @unchecked Sendable {
        // Taken over from the handler, which keeps nothing.
        var response: HTTPURLResponse?
        var object: Any?
        var error: (any Error)?
    }

    private func outcome(
        _ make: (@escaping AFURLSessionManager.CompletionHandler) -> SessionTask
    ) async -> Outcome {
        await withCheckedContinuation { continuation in
            make { continuation.resume(returning: Outcome(response: $0, object: $1, error: $2)) }.resume()
        }
    }

    private func json(_ text: String) throws -> ScriptedOrigin {
        try ScriptedOrigin { _, _ in [.respond(fields: [("Content-Type", "application/json")], body: text)] }
    }

    private func request(_ origin: ScriptedOrigin) throws -> Tern.URLRequest {
        try Tern.URLRequest(string: origin.url())
    }

    @Test(.proves("1.4b", "1.9d", "11.4b"))
    func `releasing the manager ends its tasks, and its table is empty after thousands`() async throws {
        let holding = try ScriptedOrigin { _, _ in [.hold] }
        let request = try request(holding)
        var short: AFURLSessionManager? = AFURLSessionManager()
        let task = short?.dataTask(with: request)
        let ended = await withCheckedContinuation { (continuation: CheckedContinuation<(any Error)?, Never>) in
            let pending = short?.dataTask(with: request) { _, _, error in continuation.resume(returning: error) }
            pending?.resume()
            short = nil
        }
        #expect((ended as? SessionError)?.code == .cancelled)
        withExtendedLifetime(task) {}
        let origin = try json("1")
        let many = try self.request(origin)
        manager.responseSerializer = AFHTTPResponseSerializer()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    for _ in 0..<50 {
                        _ = await self.outcome { self.manager.dataTask(with: many, completionHandler: $0) }
                    }
                }
            }
        }
        #expect(manager.tasks.isEmpty)
    }
}
