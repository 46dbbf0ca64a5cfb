// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernIO
import Testing

@testable import TernEngine

/// Dialogues: what happened, and what the machine answers.
@Suite struct TaskMachineExchangeTests: TaskMachineDialogue {
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
        let number = machine.hop.number
        #expect(number == 1)
    }

    @Test func `a request whose kept connection was lost is sent again once, and once after each redirect`() throws {
        var machine = try Self.machine()
        let first = [machine.failed(Self.lost, Self.kept).word]
        #expect(first == ["repeat"])
        try Self.follow(&machine, "/2")
        let second = [
            machine.failed(Self.lost, Self.kept).word, machine.failed(Self.lost, Self.kept, wasRepeated: true).word,
        ]
        #expect(second == ["repeat", "fail connection-lost, may be repeated"])
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
        #expect(word == "repeat")
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
}
