// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernIO
import TernLock
import TernTLS
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Every state of the machine with every event.
@Suite struct TaskMachineEventsTests {
    /// Looks something up before each hop, and sends it again after a time where the server says 503. Where it says 418,
    /// code of the user decides.
    private struct Policy: HopPolicy {
        let interests: HopInterests
        let answer: HopPreparation

        init(_ interests: HopInterests, _ answer: HopPreparation = .ready) {
            (self.interests, self.answer) = (interests, answer)
        }

        func prepare(_ hop: Hop, _ history: inout TaskHistory) -> HopPreparation { answer }

        func decide(on head: ResponseHead, _ history: inout TaskHistory) -> HopDecision {
            switch head.status {
            case 503: .resend(history.hop.request, after: .seconds(5))
            case 418: .call { .pass }
            default: .pass
            }
        }
    }

    /// A source that answers the hop, or looks something up, and has an answer for what is lost.
    private final class Source: ResponseSource, HopSource, CarrierSource {
        private let first: @Sendable (Source) -> SourceAnswer
        private let isDamaged = Lock(false)
        let status: CacheStatus? = nil
        let additions: [HeaderField] = []

        init(_ first: @escaping @Sendable (Source) -> SourceAnswer) { self.first = first }

        func part(in hop: SourcedHop) -> (any HopSource)? { self }

        func answer() -> SourceAnswer { isDamaged.withLock { $0 } ? .pass : first(self) }

        func received(_ head: ResponseHead, isStorable: Bool) -> SourceDecision { .pass }

        func failed(_ failure: AttemptFailure, isOwn: Bool) -> SourceRecovery {
            if isOwn {
                isDamaged.withLock { $0 = failure.kind == .damaged }
                return failure.kind == .damaged ? .send : .pass
            }
            return failure.kind.isFailureOfServer ? .answer(self) : .pass
        }

        func paused() {}

        func ended() {}

        func start(_ delegate: any ExchangeDelegate, on loop: ReactorLoop, _ deadlines: Deadlines) {}
    }

    private static func machine(_ policy: Policy? = nil, _ source: Source? = nil) throws -> TaskMachine {
        return TaskMachine(
            try URLRequest(string: "http://a.test/1"),
            policies: HopPolicies(
                of: SessionConfiguration(), first: policy.map { [$0] } ?? [], sources: source.map { [$0] } ?? []))
    }

    private static func started(_ policy: Policy? = nil, _ source: Source? = nil) throws -> TaskMachine {
        var machine = try machine(policy, source)
        _ = machine.start()
        _ = machine.begin()
        return machine
    }

    private static func head(_ status: Int, _ fields: HeaderFields = [:]) throws -> ResponseHead {
        try HTTPURLResponse(url: nil, statusCode: status, headers: fields).head
    }

    private static let redirect = ["Location": "/2"] as HeaderFields

    private enum State: String, CaseIterable {
        case created, preparing, lookingUp, resolving, lookingUpInSource, delayed, attempting, attemptingBySource
        case answering, deciding, delivering, askingRedirect, askingCredentials, askingDelivery, discarding, ending
        case finishing, completed

        func machine() throws -> TaskMachine {
            switch self {
            case .created: return try TaskMachineEventsTests.machine()
            case .preparing:
                var machine = try TaskMachineEventsTests.machine()
                _ = machine.start()
                return machine
            case .lookingUp: return try started(Policy(.preparation, .lookUp { _ in {} }))
            case .resolving: return try started(nil, Source { _ in .pass })
            case .lookingUpInSource:
                var machine = try started(nil, Source { _ in .lookUp { _ in {} } })
                _ = machine.resolved([], of: NoOpTaskDelegate.shared)
                return machine
            case .attemptingBySource:
                var machine = try started(nil, Source { _ in .pass })
                _ = machine.resolved([], of: NoOpTaskDelegate.shared)
                return machine
            case .answering:
                var machine = try started(nil, Source { .answer($0) })
                _ = machine.resolved([], of: NoOpTaskDelegate.shared)
                return machine
            case .deciding:
                var machine = try started(Policy(.unsuccessfulHeads))
                _ = machine.head(try head(418))
                return machine
            case .delayed:
                var machine = try started(Policy(.unsuccessfulHeads))
                _ = machine.head(try head(503))
                _ = machine.ended()
                return machine
            case .attempting: return try started()
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
        case start, begin, lookedUp, resolved, delayEnded, success, redirect, forProxy, decided, content
        case leftBehind, ended, lost, refused, broken, damaged
        case followed, declined, authorized, given, allowed, instead, finish

        func happens(to machine: inout TaskMachine) throws -> String {
            let other = try URLRequest(string: "http://a.test/other")
            switch self {
            case .start: return "\(machine.start())"
            case .begin: return machine.begin().name
            case .lookedUp: return machine.lookedUp(1, .ready).name
            case .resolved: return machine.resolved([], of: NoOpTaskDelegate.shared).name
            case .forProxy: return machine.head(try head(407), isForProxy: true).name
            case .decided: return machine.decided(.pass).name
            case .refused:
                return machine.failed(.connecting(.insecure(TLSError(.noPeerCertificate))), Evidence()).name
            case .damaged: return machine.failed(.transfer(.damagedCache), Evidence()).name
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

    /// What the machine answers to each event; answers that are "wait", "drop", "discard" or "false" are left out.
    private static let table = """
        created: start=true lost=fail refused=fail broken=fail damaged=fail finish=true
        preparing: begin=send lost=fail refused=fail broken=fail damaged=fail finish=true
        lookingUp: lookedUp=send lost=fail refused=fail broken=fail damaged=fail finish=true
        resolving: resolved=send lost=fail refused=fail broken=fail damaged=fail finish=true
        lookingUpInSource: lookedUp=look-up lost=fail refused=fail broken=fail damaged=fail finish=true
        delayed: delayEnded=send lost=fail refused=fail broken=fail damaged=fail finish=true
        attempting: success=deliver redirect=ask lost=repeat refused=fail broken=fail damaged=fail finish=true
        attemptingBySource: success=deliver redirect=ask lost=repeat refused=fail broken=answer damaged=fail finish=true
        answering: success=deliver redirect=ask forProxy=deliver lost=fail refused=fail broken=fail damaged=send finish=true
        deciding: decided=deliver lost=fail refused=fail broken=fail damaged=fail finish=true
        delivering: content=deliver ended=complete lost=fail refused=fail broken=fail damaged=fail finish=true
        askingRedirect: content=pause damaged=fail declined=deliver finish=true
        askingCredentials: content=pause damaged=fail finish=true
        askingDelivery: content=pause damaged=fail allowed=deliver finish=true
        discarding: leftBehind=send ended=send lost=send refused=send broken=send damaged=fail finish=true
        ending: lost=fail refused=fail broken=fail damaged=fail finish=true
        finishing: lost=fail refused=fail broken=fail damaged=fail
        completed: lost=fail refused=fail broken=fail damaged=fail
        """

    @Test func `each state answers each event as the table says`() throws {
        let lines = try State.allCases.map { state in
            let answers = try Event.allCases.map { event -> String? in
                var machine = try state.machine()
                let answer = try event.happens(to: &machine)
                return ["wait", "drop", "discard", "false"].contains(answer) ? nil : "\(event)=\(answer)"
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
        #expect(again == "repeat")
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
        case .resume: "resume"
        case .wait: "wait"
        case .send: "send"
        case .refuse: "refuse"
        case .lookUp: "look-up"
        case .awaitNetwork: "await-network"
        case .delay: "delay"
        case .repeat: "repeat"
        case .resolve: "resolve"
        case .answer: "answer"
        case .deliver: "deliver"
        case .askContent: "ask-content"
        case .askRetry: "ask-retry"
        case .complete: "complete"
        case .fail, .failed: "fail"
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
        case .retry: "ask-retry"
        case .askContent: "ask-content"
        case .call: "call"
        case .fail: "fail"
        }
    }
}
