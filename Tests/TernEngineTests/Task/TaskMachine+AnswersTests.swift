// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernIO
import Testing

@testable import TernEngine

/// Dialogues: what happened, and what the machine answers.
@Suite struct TaskMachineAnswersTests {
    private static func machine(
        _ method: String = "GET", _ url: String = "http://a.test/1", _ policy: RedirectPolicy = .follow(),
        body: String? = nil, repeats: Bool = true,
        _ change: (inout URLRequest) -> Void = { _ in }
    ) throws -> TaskMachine {
        var request = try URLRequest(string: url)
        request.httpMethod = method
        request.httpBody = body.map { Data($0.utf8) }
        change(&request)
        var configuration = SessionConfiguration()
        configuration.redirectPolicy = policy
        configuration.repeatsLostRequests = repeats
        configuration.sensitiveFields = ["X-Ours"]
        var machine = TaskMachine(request, policies: HopPolicies(of: configuration))
        let isStarted = machine.start()
        #expect(isStarted)
        return machine
    }

    private static func head(_ status: Int, to location: String? = nil) throws -> ResponseHead {
        let fields = location.map { ["Location": $0] }
        let url = try #require(URL(string: "http://a.test/"))
        return try #require(HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: fields)).head
    }

    private static let kept = Evidence(wasReused: true, isSent: true)
    private static let lost = SessionError.Reason.transfer(.connectionLost(nil))

    /// Has the machine ask where a redirect to `location` leads; gives the question.
    private static func ask(_ machine: inout TaskMachine, _ location: String, status: Int = 302) throws -> URLRequest {
        guard case .ask(let request) = machine.head(try head(status, to: location)) else { throw NotAsked() }
        return request
    }

    private struct NotAsked: Error {}

    /// Follows a redirect whose response has no body.
    private static func follow(_ machine: inout TaskMachine, _ location: String, status: Int = 302) throws {
        let request = try ask(&machine, location, status: status)
        let words = [machine.answered(request).word, machine.ended().word]
        #expect(words == ["wait", "send"])
    }

    @Test func `a redirect may be declined: its response is the answer, whatever became of it meanwhile`() throws {
        var early = try Self.machine()
        _ = try Self.ask(&early, "/2")
        let first = ["\(early.content(5))", early.answered(nil).word, "\(early.content(5))", early.ended().word]
        #expect(first == ["hold", "deliver", "deliver", "complete"])

        var late = try Self.machine()
        _ = try Self.ask(&late, "/2")
        let second = [late.ended().word, late.answered(nil).word, late.ended().word]
        #expect(second == ["wait", "deliver, complete", "wait"])

        var broken = try Self.machine()
        _ = try Self.ask(&broken, "/2")
        let third = [broken.failed(Self.lost, Self.kept).word, broken.answered(nil).word]
        #expect(third == ["wait", "fail connection-lost, may be repeated"])
    }

    @Test func `a redirect is followed also when its exchange ended or broke while that was being decided`() throws {
        for breaks in [false, true] {
            var machine = try Self.machine()
            let request = try Self.ask(&machine, "/2")
            let end = breaks ? machine.failed(Self.lost, Self.kept).word : machine.ended().word
            let answer = machine.answered(request).word
            #expect([end, answer] == ["wait", "send"])
            let number = machine.hop.number
            #expect(number == 1)
        }
    }

    @Test func `the delegate may send the request elsewhere, and its credentials stay behind`() throws {
        var machine = try Self.machine()
        _ = try Self.ask(&machine, "/2")
        var changed = try URLRequest(string: "http://b.test/other")
        changed.headers = ["X-Own": "word"]
        _ = machine.answered(changed)
        _ = machine.ended()
        let hop = machine.hop
        #expect(hop.request.url?.absoluteString == "http://b.test/other")
        #expect(hop.request.headers["X-Own"] == "word")
        #expect(!hop.mayCarryCredentials)
        try Self.follow(&machine, "http://a.test/3")
        let isTrusted = machine.hop.mayCarryCredentials
        #expect(!isTrusted)
    }

    @Test func `an answer counts once, and only while it is waited for`() throws {
        var machine = try Self.machine()
        let other = try URLRequest(string: "http://b.test/")
        let early = [machine.answered(other).word, machine.answered(nil).word]
        #expect(early == ["wait", "wait"])
        let request = try Self.ask(&machine, "/2")
        let words = [machine.answered(request).word, machine.answered(other).word, machine.answered(nil).word]
        #expect(words == ["wait", "wait", "wait"])
        let url = machine.hop.request.url?.absoluteString
        #expect(url == "http://a.test/2")
    }
}
