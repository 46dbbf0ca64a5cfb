// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import Testing

@testable import TernEngine

/// Every state of the machine with every event.
@Suite struct TaskMachineEventsTests {
    /// Looks something up before each hop, and sends it again after a time where the server says 503.
    private struct Policy: HopPolicy {
        let interests: HopInterests
        let answer: HopPreparation

        init(_ interests: HopInterests, _ answer: HopPreparation = .ready) {
            (self.interests, self.answer) = (interests, answer)
        }

        func prepare(_ hop: Hop, _ history: inout TaskHistory) -> HopPreparation { answer }

        func decide(on head: ResponseHead, _ history: inout TaskHistory) -> HopDecision {
            head.status == 503 ? .resend(history.hop.request, after: .seconds(5)) : .pass
        }
    }

    private static func machine(_ policy: Policy? = nil) throws -> TaskMachine {
        return TaskMachine(
            try URLRequest(string: "http://a.test/1"),
            policies: HopPolicies(of: SessionConfiguration(), first: policy.map { [$0] } ?? []))
    }

    private static func started(_ policy: Policy? = nil) throws -> TaskMachine {
        var machine = try machine(policy)
        _ = machine.start()
        _ = machine.begin()
        return machine
    }

    private static func head(_ status: Int, _ fields: HeaderFields = [:]) throws -> ResponseHead {
        try HTTPURLResponse(url: nil, statusCode: status, headers: fields).head
    }

    private static let redirect = ["Location": "/2"] as HeaderFields

    private enum State: String, CaseIterable {
        case created, lookingUp, delayed, exchanging, delivering, askingRedirect, askingCredentials, askingDelivery
        case discarding, ending, finishing, completed

        func machine() throws -> TaskMachine {
            switch self {
            case .created: return try TaskMachineEventsTests.machine()
            case .lookingUp: return try started(Policy(.preparation, .lookUp { _ in {} }))
            case .delayed:
                var machine = try started(Policy(.unsuccessfulHeads))
                _ = machine.head(try head(503))
                _ = machine.ended()
                return machine
            case .exchanging: return try started()
            case .delivering:
                var machine = try started()
                _ = machine.head(try head(200))
                return machine
            case .askingRedirect:
                var machine = try started()
                _ = machine.head(try head(302, redirect))
                return machine
            case .askingCredentials:
                var machine = try started()
                _ = machine.head(try head(401, ["WWW-Authenticate": "Basic"]))
                return machine
            case .askingDelivery:
                var machine = try started()
                _ = machine.head(try head(200))
                machine.awaitDisposition()
                return machine
            case .discarding:
                var machine = try started()
                _ = machine.head(try head(302, redirect))
                _ = machine.answered(try URLRequest(string: "http://a.test/2"))
                return machine
            case .ending:
                var machine = try started()
                _ = machine.failed(.cancelled, Evidence())
                return machine
            case .finishing:
                var machine = try started()
                _ = machine.finish()
                return machine
            case .completed:
                var machine = try started()
                machine.complete()
                return machine
            }
        }
    }

    private enum Event: String, CaseIterable {
        case start, begin, lookedUp, delayEnded, success, redirect, content, leftBehind, ended, lost, broken
        case followed, declined, authorized, given, allowed, instead, finish

        func happens(to machine: inout TaskMachine) throws -> String {
            let other = try URLRequest(string: "http://a.test/other")
            switch self {
            case .start: return "\(machine.start())"
            case .begin: return machine.begin().name
            case .lookedUp: return machine.lookedUp(1, .ready).name
            case .delayEnded: return machine.delayEnded().name
            case .success: return machine.head(try head(200)).name
            case .redirect: return machine.head(try head(302, TaskMachineEventsTests.redirect)).name
            case .content: return "\(machine.content(10))"
            case .leftBehind: return machine.leftBehind().name
            case .ended: return machine.ended().name
            case .lost:
                return machine.failed(.transfer(.connectionLost(nil)), Evidence(wasReused: true, isSent: true)).name
            case .broken: return machine.failed(.timedOut(.idle), Evidence(wasReused: true, isSent: true)).name
            case .followed: return machine.answered(other).name
            case .declined: return machine.answered(nil).name
            case .authorized:
                return machine.answered(.authorization("x")).name
            case .given: return machine.answered(content: .data(Data([1]))).name
            case .allowed: return machine.allowed().name
            case .instead: return machine.answered(instead: other).name
            case .finish: return "\(machine.finish())"
            }
        }
    }

    /// What the machine answers to each event; answers that are "wait" or "drop" are left out.
    private static let table = """
        created: start=true success=discard redirect=discard lost=fail broken=fail finish=true
        lookingUp: start=false lookedUp=send success=discard redirect=discard lost=fail broken=fail finish=true
        delayed: start=false delayEnded=send success=discard redirect=discard lost=fail broken=fail finish=true
        exchanging: start=false begin=send success=deliver redirect=ask lost=send broken=fail finish=true
        delivering: start=false success=discard redirect=discard content=deliver ended=complete lost=fail broken=fail finish=true
        askingRedirect: start=false success=discard redirect=discard content=hold broken=fail declined=deliver finish=true
        askingCredentials: start=false success=discard redirect=discard content=hold broken=fail finish=true
        askingDelivery: start=false success=discard redirect=discard content=hold broken=fail allowed=deliver finish=true
        discarding: start=false success=discard redirect=discard leftBehind=send ended=send lost=send broken=fail finish=true
        ending: start=false success=discard redirect=discard lost=fail broken=fail finish=true
        finishing: start=false success=discard redirect=discard lost=fail broken=fail finish=false
        completed: start=false success=discard redirect=discard lost=fail broken=fail finish=false
        """

    @Test func `each state answers each event as the table says`() throws {
        let lines = try State.allCases.map { state in
            let answers = try Event.allCases.map { event -> String? in
                var machine = try state.machine()
                let answer = try event.happens(to: &machine)
                return answer == "wait" || answer == "drop" ? nil : "\(event)=\(answer)"
            }
            return "\(state): " + answers.compactMap(\.self).joined(separator: " ")
        }
        #expect(lines.joined(separator: "\n") == Self.table)
    }

    @Test func `a lookup's first result counts, and only one with its number`() throws {
        var machine = try Self.started(Policy(.preparation, .lookUp { _ in {} }))
        let words = [
            machine.lookedUp(2, .ready).name, machine.lookedUp(1, .fail(.cancelled)).name,
            machine.lookedUp(1, .ready).name,
        ]
        #expect(words == ["wait", "fail", "wait"])
    }

    @Test func `each hop is prepared once, however often it is sent`() throws {
        var request = try URLRequest(string: "http://a.test/1")
        request.headers["X"] = "prepared"
        var machine = try Self.started(Policy(.preparation, .change(request)))
        let value = machine.hop.request.headers["X"]
        #expect(value == "prepared")
        let again = machine.failed(.transfer(.connectionLost(nil)), Evidence(wasReused: true, isSent: true)).name
        #expect(again == "send")
        let count = machine.history.repeatCount
        #expect(count == 1)
    }

    @Test func `content that can be read once is asked for again before a request is sent again`() throws {
        var request = try URLRequest(string: "http://a.test/1")
        request.body = .once(ProbingSource([], then: .end()))
        var unread = TaskMachine(request, policies: HopPolicies([Policy(.unsuccessfulHeads)]))
        _ = unread.start()
        let early = [unread.begin().name, unread.head(try Self.head(503)).name]
        #expect(early == ["send", "discard"])
        // An exchange has begun to read it.
        _ = request.onceSource?.begin()
        var machine = TaskMachine(request, policies: HopPolicies([Policy(.unsuccessfulHeads)]))
        _ = machine.start()
        let words = [
            machine.begin().name, machine.head(try Self.head(503)).name, machine.ended().name,
            machine.answered(content: .data(Data([1]))).name, machine.delayEnded().name,
        ]
        #expect(words == ["send", "ask-content", "wait", "delay", "send"])
    }
}

extension TaskMachine.Next {
    fileprivate var name: String {
        switch self {
        case .wait: "wait"
        case .send: "send"
        case .lookUp: "look-up"
        case .awaitNetwork: "await-network"
        case .delay: "delay"
        case .hold: "hold"
        case .answer: "answer"
        case .deliver: "deliver"
        case .askContent: "ask-content"
        case .complete: "complete"
        case .fail: "fail"
        }
    }
}

extension TaskMachine.HeadAnswer {
    fileprivate var name: String {
        switch self {
        case .deliver: "deliver"
        case .discard: "discard"
        case .ask: "ask"
        case .challenge: "challenge"
        case .askContent: "ask-content"
        case .fail: "fail"
        }
    }
}
