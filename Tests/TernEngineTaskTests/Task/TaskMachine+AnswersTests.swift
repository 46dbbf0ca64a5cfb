// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernIO
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Dialogues: what happened, and what the machine answers.
@Suite struct TaskMachineAnswersTests: TaskMachineDialogue {
    @Test func `a redirect may be declined: its response is the answer, whatever became of it meanwhile`() throws {
        var early = try Self.machine()
        _ = try Self.ask(&early, "/2")
        let first = ["\(early.content(5))", early.answered(nil).word, "\(early.content(5))", early.ended().word]
        #expect(first == ["pause", "deliver", "deliver", "complete"])

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
