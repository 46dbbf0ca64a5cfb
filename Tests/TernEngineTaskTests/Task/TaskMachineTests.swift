// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernIO
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Dialogues: what happened, and what the machine answers.
@Suite struct TaskMachineTests: TaskMachineDialogue {
    @Test func `a response is delivered as it arrives, and its end is the task's`() throws {
        var machine = try Self.machine()
        let head = machine.head(try Self.head(200)).word
        let isDelivering = machine.isDelivering
        let answers = [head, "\(machine.content(10))", "\(machine.content(0))", machine.ended().word]
        #expect(answers == ["deliver", "deliver", "deliver", "complete"])
        let isOver = !machine.isDelivering
        #expect(isDelivering && isOver)
        let number = machine.hop.number
        #expect(number == 0)
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

    @Test func `the end of the task ends a redirect, too`() throws {
        for isAnswered in [false, true] {
            for reason in [SessionError.Reason.cancelled, .timedOut(.total), .sessionInvalidated] {
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
