// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import TestProofs
import Testing

@testable import Tern

@Suite struct SessionDelegateEngineTests {
    private let journal = Journal()

    @Test(.proves("3.14a"))
    func `a task with a completion handler calls no delegate for its response, its data or its end`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("body")] }
        let manager = SessionManager()
        manager.delegate.dataTaskDidReceiveResponse = { [journal] _, _, _ in
            journal.note("response")
            return .cancel
        }
        manager.delegate.dataTaskDidReceiveData = { [journal] _, _, _ in journal.note("data") }
        manager.delegate.taskDidComplete = { [journal] _, _, _ in journal.note("end") }
        let request = try URLRequest(url: origin.url(), method: .get)
        let text = await withCheckedContinuation { continuation in
            manager.session.dataTask(with: request) { result in
                continuation.resume(returning: (try? result.get()).map { String(decoding: $0.0, as: UTF8.self) })
            }.resume()
        }
        #expect(text == "body")
        // An event would have been before this in the queue.
        manager.queue.sync {}
        #expect(journal.entries == [])
    }

    @Test(.proves("1.13a")) func `a task's description is the user's, and no other task's`() throws {
        let manager = SessionManager()
        manager.startRequestsImmediately = false
        let task = try #require(manager.request("http://127.0.0.1:1/").task)
        #expect(task.taskDescription == nil)
        task.taskDescription = "mine"
        #expect(task.taskDescription == "mine")
        task.cancel()
        #expect(task.taskDescription == "mine")
    }
}
