// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernIO
import Testing

@testable import TernEngine

/// Dialogues: what happened, and what the machine answers.
@Suite struct TaskMachineTests {
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

    @Test func `a response is delivered as it arrives, and its end is the task's`() throws {
        var machine = try Self.machine()
        let head = machine.head(try Self.head(200)).word
        let isDelivering = machine.isDelivering
        let answers = [head, "\(machine.content(10))", "\(machine.content(0))", machine.ended().word]
        #expect(answers == ["deliver", "deliver", "deliver", "complete"])
        let isOver = !machine.isDelivering
        #expect(isDelivering && isOver)
        let (number, repeats) = (machine.hop.number, machine.history.repeatCount)
        #expect((number, repeats) == (0, 0))
    }

    @Test(arguments: [300, 301, 302, 303, 304, 307, 308])
    func `a status that could lead elsewhere and does not say where to is an answer`(status: Int) throws {
        var machine = try Self.machine()
        let word = machine.head(try Self.head(status)).word
        #expect(word == "deliver")
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a redirect is asked about, its body discarded, and its target requested next`(status: Int) throws {
        var machine = try Self.machine()
        let request = try Self.ask(&machine, "/2", status: status)
        #expect(request.url?.absoluteString == "http://a.test/2")
        let hop = machine.hop
        #expect(hop.number == 0 && hop.request.url?.absoluteString == "http://a.test/1")
        let answers = [machine.answered(request).word, "\(machine.content(1000))", machine.ended().word]
        #expect(answers == ["wait", "drop", "send"])
        let next = machine.hop
        #expect(next.number == 1 && next.request.url?.absoluteString == "http://a.test/2")
        let end = [machine.head(try Self.head(200)).word, "\(machine.content(3))", machine.ended().word]
        #expect(end == ["deliver", "deliver", "complete"])
    }

    @Test func `a redirect that leads where we do not go ends the task, and nothing brings it back`() throws {
        var machine = try Self.machine("GET", "https://a.test/1")
        let answer = machine.head(try Self.head(302, to: "http://a.test/2")).word
        #expect(answer.hasPrefix("fail redirect"))
        let after = [
            "\(machine.content(1))", machine.ended().word,
            machine.answered(try URLRequest(string: "http://b.test/")).word,
        ]
        #expect(after == ["drop", "wait", "wait"])
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

    @Test func `only a lost connection is outlived by a redirect`() throws {
        for isAnswered in [false, true] {
            for reason in [SessionError.Reason.cancelled, .timedOut(.idle), .sessionInvalidated] {
                var machine = try Self.machine()
                let request = try Self.ask(&machine, "/2")
                if isAnswered { _ = machine.answered(request) }
                let word = machine.failed(reason, Self.kept).word
                #expect(word == "fail \(reason.kind), may be repeated")
                let later = isAnswered ? machine.ended().word : machine.answered(request).word
                #expect(later == "wait")
            }
        }
    }

    @Test func `a redirect's body is discarded up to a limit, and left beyond it`() throws {
        var machine = try Self.machine()
        _ = machine.answered(try Self.ask(&machine, "/2"))
        let most = TaskMachine.maximumDiscardedContent
        let within = [
            "\(machine.content(most - 1))", "\(machine.content(1))", "\(machine.content(0))", machine.ended().word,
        ]
        #expect(within == ["drop", "drop", "drop", "send"])

        var other = try Self.machine()
        _ = other.answered(try Self.ask(&other, "/2"))
        let beyond = ["\(other.content(most))", "\(other.content(1))", other.leftBehind().word]
        #expect(beyond == ["drop", "leave", "send"])
        let word = other.head(try Self.head(200)).word
        #expect(word == "deliver")

        var huge = try Self.machine()
        _ = huge.answered(try Self.ask(&huge, "/2"))
        let answer = "\(huge.content(.max))"
        #expect(answer == "leave")
    }

    @Test func `a connection that dies while a redirect's body is discarded is not missed`() throws {
        var machine = try Self.machine()
        _ = machine.answered(try Self.ask(&machine, "/2"))
        let answers = ["\(machine.content(10))", machine.failed(Self.lost, Self.kept).word]
        #expect(answers == ["drop", "send"])
        let (repeats, number) = (machine.history.repeatCount, machine.hop.number)
        #expect((repeats, number) == (0, 1))
    }

    @Test func `a request whose kept connection was lost is sent again once, and once after each redirect`() throws {
        var machine = try Self.machine()
        let first = [machine.failed(Self.lost, Self.kept).word]
        let repeats = machine.history.repeatCount
        #expect(first == ["send"] && repeats == 1)
        try Self.follow(&machine, "/2")
        let afterwards = machine.history.repeatCount
        #expect(afterwards == 0)
        let second = [machine.failed(Self.lost, Self.kept).word, machine.failed(Self.lost, Self.kept).word]
        #expect(second == ["send", "fail connection-lost, may be repeated"])
    }

    @Test(
        arguments: [
            ("fresh connection", "GET", Evidence(wasReused: false, isSent: true), true, "may"),
            ("a byte of an answer", "GET", Evidence(wasReused: true, isAnswered: true, isSent: true), true, "may"),
            ("a method that does something", "POST", Evidence(wasReused: true, isSent: true), true, "must not"),
            ("switched off", "GET", Evidence(wasReused: true, isSent: true), false, "may"),
        ] as [(String, String, Evidence, Bool, String)])
    func `what is not sent again is an error that says whether it may be`(
        name: String, method: String, evidence: Evidence, repeats: Bool, may: String
    ) throws {
        var machine = try Self.machine(method, repeats: repeats)
        let word = machine.failed(Self.lost, evidence).word
        #expect(word == "fail connection-lost, \(may) be repeated", "\(name)")
        let later = machine.failed(Self.lost, Self.kept).word
        #expect(later.hasPrefix("fail"))
    }

    @Test func `nothing of which not one byte left does harm twice, and it goes out again`() throws {
        var machine = try Self.machine("POST", body: "once")
        let word = machine.failed(Self.lost, Evidence(wasReused: true)).word
        #expect(word == "send")
    }

    @Test func `a response that fails after its head was delivered is never requested again`() throws {
        var machine = try Self.machine()
        _ = machine.head(try Self.head(200))
        let word = machine.failed(Self.lost, Self.kept).word
        #expect(word == "fail connection-lost, may be repeated")
    }

    @Test func `other reasons than a lost connection are never a reason to send again`() throws {
        for reason in [
            SessionError.Reason.timedOut(.head), .cancelled, .sessionInvalidated, .transfer(.upgradeNotTaken),
        ] {
            var machine = try Self.machine()
            let word = machine.failed(reason, Self.kept).word
            #expect(word == "fail \(reason.kind), may be repeated")
        }
    }

    @Test func `credentials go along within the first origin, and are gone for good once it is left`() throws {
        var machine = try Self.machine {
            $0.headers = ["Authorization": "secret", "X-Ours": "ours", "X-Mine": "mine", "X-Open": "open"]
            $0.sensitiveFields = ["X-Mine"]
        }
        var seen: [String] = []
        let note = { (hop: borrowing Hop) in
            seen.append("\(hop.number) \(hop.mayCarryCredentials) \(hop.request.headers.map(\.name))")
        }
        note(machine.hop)
        for location in ["http://A.test:80/2", "http://b.test/3", "http://b.test/4", "http://a.test/5"] {
            try Self.follow(&machine, location)
            note(machine.hop)
        }
        let all = #"["Authorization", "X-Ours", "X-Mine", "X-Open"]"#
        let harmless = #"["X-Open"]"#
        #expect(
            seen == [
                "0 true \(all)", "1 true \(all)", "2 false \(harmless)", "3 false \(harmless)", "4 false \(harmless)",
            ])
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

    @Test func `one redirect more than allowed ends the task`() throws {
        var machine = try Self.machine("GET", "http://a.test/1", .follow(limit: 2))
        try Self.follow(&machine, "/2")
        try Self.follow(&machine, "/3")
        let word = machine.head(try Self.head(302, to: "/4")).word
        #expect(word == "fail redirect: more than 2 redirects")
    }

    @Test func `a task that has ended handles no event, and delivers none`() throws {
        for isAsking in [false, true] {
            var machine = try Self.machine()
            let request = isAsking ? try Self.ask(&machine, "/2") : nil
            machine.complete()
            let words = [machine.answered(request).word, "\(machine.content(1))", machine.ended().word]
            #expect(words == ["wait", "drop", "wait"])
        }
    }

    @Test func `objects in a request are released with the task, and not during a change`()
        throws
    {
        weak var given: Given?
        var machine = try Self.machine("PUT", "http://a.test/1")
        func count() -> Int { given?.number ?? -1 }
        do {
            var request = try Self.ask(&machine, "/2")
            let mine = Given(number: 2)
            given = mine
            request.body = .stream { [mine] in ProbingSource([], then: .failed(mine)) }
            _ = machine.answered(request)
            _ = machine.ended()
        }
        #expect(count() == 2)
        // The next hop has none of it, and what is decided on then is neither.
        let request = try Self.ask(&machine, "/3", status: 303)
        _ = machine.answered(request)
        _ = machine.ended()
        machine.complete()
        #expect(count() == 2)
        _ = consume machine
        #expect(count() == -1)
    }

    private final class Given: Error {
        let number: Int

        init(number: Int) { self.number = number }
    }
}

extension TaskMachine.HeadAnswer {
    fileprivate var word: String {
        switch self {
        case .deliver: "deliver"
        case .discard: "discard"
        case .challenge: "challenge"
        case .askContent: "ask for content"
        case .ask(let request): "ask \(request.url?.absoluteString ?? "")"
        case .fail(.transfer(.redirect(let error))): "fail redirect: \(error)"
        case .fail(let reason): "fail \(reason.kind)"
        }
    }
}

extension TaskMachine.Next {
    fileprivate var word: String {
        switch self {
        case .wait: "wait"
        case .send: "send"
        case .lookUp(_, let number): "look up \(number)"
        case .delay(let time): "delay \(time)"
        case .answer: "answer"
        case .complete: "complete"
        case .askContent: "ask for content"
        case .deliver(_, let isComplete): isComplete ? "deliver, complete" : "deliver"
        case .fail(let reason, let isSafe): "fail \(reason.kind), \(isSafe ? "may" : "must not") be repeated"
        }
    }
}
