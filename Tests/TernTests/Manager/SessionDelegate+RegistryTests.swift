// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import TernTesting
import TestProofs
import Testing

@testable import Tern

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
