// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import TestProofs
import Testing

@testable import Tern

@Suite struct TaskDelegateRelayTests {
    private let journal = Journal()
    private let manager = SessionManager()

    init() { manager.startRequestsImmediately = false }

    @Test(.proves("5.6a", "5.8a", "5.10b")) func `a closure of the task's delegate answers where the hub has none`()
        async throws
    {
        let origin = try ScriptedOrigin { _, request in
            switch (request.target, request.value(of: "Authorization")) {
            case ("/from", _): [.respond(status: 302, fields: [("Location", "/to")])]
            case (_, nil): [.respond(status: 401, fields: [("WWW-Authenticate", "Basic realm=\"r\"")])]
            case (_, let value?): [.ok(value)]
            }
        }
        let request = manager.request(origin.url("/from"))
        request.delegate.taskWillPerformHTTPRedirection = { [journal] _, _, response, request in
            journal.note("redirect \(response.statusCode)")
            return request
        }
        request.delegate.taskDidReceiveChallenge = { [journal] _, _, challenge in
            journal.note("challenge \(challenge.protectionSpace.realm ?? "none")")
            return (.useCredential, Credential(user: "a", password: "b", persistence: .none))
        }
        request.delegate.dataTaskDidReceiveData = { [journal] _, _, data in
            journal.note(String(decoding: data, as: UTF8.self))
        }
        request.delegate.taskDidCompleteWithError = { [journal] _, _, error in journal.note("end \(error == nil)") }
        request.resume()
        #expect(await request.serializingData().result.value == Data())
        #expect(journal.entries == ["redirect 302", "challenge r", "Basic YTpi", "end true"])
    }

    @Test(.proves("5.6b", "5.7a"))
    func `a closure of an upload's delegate is called in place of its progress, and brings a new stream`()
        async throws
    {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/from"
                ? [.respond(status: 307, fields: [("Location", "/to")])] : [.ok("\(request.body.count)")]
        }
        let request = manager.upload(InputStream(data: Data(count: 9)), to: origin.url("/from"))
            .uploadProgress { [journal] _ in journal.note("progress") }
        request.delegate.taskDidSendBodyData = { [journal] _, _, count, total, _ in journal.note("\(count) \(total)") }
        request.delegate.taskNeedNewBodyStream = { [journal] _, _ in
            journal.note("stream")
            return InputStream(data: Data(count: 5))
        }
        request.resume()
        #expect(await request.serializingString().result.value == "5")
        #expect(journal.entries == ["9 9", "stream", "5 5"])
    }
}
