// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
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

@Suite struct SessionDelegateRegistryTests {
    private let journal = Journal()

    @Test(.proves("3.15a"))
    func `a closure that is not set is not called, and its events do not pass through the callback queue`()
        async throws
    {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/from"
                ? [.respond(status: 302, fields: [("Location", "/to")])] : [.ok(request.target)]
        }
        // Nothing comes by there until it is free.
        let (queue, isFree) = (DispatchQueue(label: "busy"), DispatchSemaphore(value: 0))
        queue.async { isFree.wait() }
        let manager = SessionManager(callbackQueue: queue)
        let request = manager.request(origin.url("/from"))
        #expect(await origin.waitFor { $0.requestCount == 2 })
        #expect(!manager.delegate.isOverridden && !request.delegate.isRelayed.load(ordering: .relaxed))
        #expect(manager.session.serverTrustPolicyManager == nil)

        manager.delegate.taskWillPerformHTTPRedirection = { [journal] _, _, _, request in
            journal.note("asked")
            return request
        }
        let asked = manager.request(origin.url("/from"))
        #expect(await origin.waitFor { $0.requestCount == 3 })
        #expect(journal.entries == [])
        isFree.signal()
        #expect(await asked.serializingString().result.value == "/to")
        #expect(await request.serializingString().result.value == "/to")
        #expect(journal.entries == ["asked"])
    }

    @Test(.proves("6.3c")) func `the session's closures are not asked for passwords`() async throws {
        let origin = try ScriptedOrigin { _, request in
            guard let value = request.value(of: "Authorization") else {
                return [.respond(status: 401, fields: [("WWW-Authenticate", "Basic realm=\"r\"")])]
            }
            return [.ok(value)]
        }
        let manager = SessionManager()
        manager.delegate.sessionDidReceiveChallenge = { [journal] _, _ in
            journal.note("closure")
            return (.cancelAuthenticationChallenge, nil)
        }
        manager.delegate.sessionDidReceiveChallengeWithCompletion = { [journal] _, _, completion in
            journal.note("completion")
            completion(.cancelAuthenticationChallenge, nil)
        }
        let answered = manager.begin { $0.request(origin.url()).authenticate(user: "a", password: "b") }
        #expect(await answered.serializingString().result.value == "Basic YTpi")
        #expect(await manager.request(origin.url()).serializingData().response.response?.statusCode == 401)
        #expect(journal.entries == [])
    }
}

@Suite struct ClosureTableTests {
    private let table = ClosureTable()

    @Test func `a table is empty until a closure is set, and after the last one is removed`() {
        #expect(table.isEmpty)
        #expect(table.set(\.completion) { _, _, _ in }?.isNew == true)
        #expect(table.set(\.completion) { _, _, _ in }?.isNew == false)
        #expect(!table.isEmpty && table[\.completion] != nil)
        #expect(table.set(\.completion, nil)?.isNew == false)
        #expect(table.isEmpty && table[\.completion] == nil)
        #expect(table.set(\.completion, nil) == nil)
    }

    @Test func `closures for challenges answer about server trust`() {
        #expect(!table.answersServerTrustChallenges)
        #expect(table.set(\.challenge) { _, _, _ in (.performDefaultHandling, nil) }?.changesTrust == true)
        #expect(table.answersServerTrustChallenges && !table.answersForSession)
        #expect(table.set(\.sessionChallenge) { _, _ in (.performDefaultHandling, nil) }?.changesTrust == true)
        #expect(table.answersForSession)
        #expect(table.set(\.completion) { _, _, _ in }?.changesTrust == false)
    }
}
