// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernIO
import Testing

@testable import TernEngine

/// A suite of dialogues: what happened, and what the machine answers.
protocol TaskMachineDialogue {}

extension TaskMachineDialogue {
    static func machine(
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
        configuration.retryPolicy.repeatsLostRequests = repeats
        configuration.sensitiveFields = ["X-Ours"]
        var machine = TaskMachine(request, policies: HopPolicies(of: configuration))
        let isStarted = machine.start()
        let begun = machine.begin().word
        #expect(isStarted && begun == "send")
        return machine
    }

    static func head(_ status: Int, to location: String? = nil) throws -> ResponseHead {
        let fields = location.map { ["Location": $0] }
        let url = try #require(URL(string: "http://a.test/"))
        return try #require(HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: fields)).head
    }

    static var kept: Evidence { Evidence(wasReused: true, isSent: true) }
    static var lost: SessionError.Reason { .transfer(.connectionLost(nil)) }

    /// Has the machine ask where a redirect to `location` leads; gives the question.
    static func ask(_ machine: inout TaskMachine, _ location: String, status: Int = 302) throws -> URLRequest {
        guard case .ask(let request) = machine.head(try head(status, to: location)) else { throw NotAsked() }
        return request
    }

    /// Follows a redirect whose response has no body.
    static func follow(_ machine: inout TaskMachine, _ location: String, status: Int = 302) throws {
        let request = try ask(&machine, location, status: status)
        let words = [machine.answered(request).word, machine.ended().word]
        #expect(words == ["wait", "send"])
    }
}

private struct NotAsked: Error {}

extension TaskMachine {
    /// The exchange of an attempt, or of a repeat, broke off.
    mutating func failed(_ reason: SessionError.Reason, _ evidence: Evidence, wasRepeated: Bool = false) -> Next {
        failed(AttemptFailure(reason: reason, phase: .head, evidence: evidence), wasRepeated: wasRepeated)
    }
}
