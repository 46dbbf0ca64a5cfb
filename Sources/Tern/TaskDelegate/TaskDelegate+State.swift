// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

extension TaskDelegate {
    /// What the delegate's lock guards: each event says what is to be done about it, outside the lock. It also gives
    /// back what of the user's goes with it: a `deinit` may ask the request something, and find the lock taken.
    struct State {
        /// Where a request is in its life.
        enum Stage: Equatable {
            /// Its task runs, or is still to be started. Exits: ending, over.
            case running
            /// Its task has ended, and the callback queue is to conclude: validations first. Exits: asking, over.
            case ending
            /// The retrier has this question. Exits: settled, retrying.
            case asking(UInt)
            /// Another task is on its way. Exits: running, settled.
            case retrying
            /// No retry: the callback queue is to finish. Exit: over.
            case settled
            /// The gate is open. Exit: none.
            case over
        }

        private(set) var stage = Stage.running
        /// What is asked for, as far as it got where there is no task.
        private let unsent: URLRequest?
        private(set) var task: SessionTask?
        private(set) var response: HTTPURLResponse?
        private(set) var error: (any Error)?
        private(set) var retryCount: UInt = 0
        private var judges: [Judge] = []
        /// How many of them have run.
        private var judgeCount = 0
        /// A visitor is in, or was: no validation can come before it any more.
        private var isJudged = false
        private var isPostponed = false
        /// When a handler or a validation was last added, in coarse time, if the first handler came before any
        /// validation.
        private var lastChainedCall: Int64?
        private(set) var gate = Gate<Visitor>()
        /// What is rare; made when it is needed.
        var aside: Aside?

        /// - Parameter error: why there is no task.
        init(request: URLRequest?, error: (any Error)? = nil) {
            unsent = request
            self.error = error
        }
    }

    /// Says what is wrong with a response. In a box of its own: an array of bare closures wraps each of them anew, in
    /// and out.
    struct Judge: Sendable {
        let verdict: @Sendable (Completion, HTTPURLResponse) -> (any Error)?
    }

    typealias Handler = @Sendable (Completion) -> Void

    /// How a task has ended.
    struct End {
        let error: (any Error)?
    }

    /// Resumed once, because a gate lets each visitor in once; a checked continuation would pay twice for that, and so
    /// would every copy of a visitor, whose size it hides.
    @safe
    struct Awaiter: Sendable {
        let continuation: UnsafeContinuation<Void, Never>

        func resume() { unsafe continuation.resume() }
    }

    /// What waits for the request to end.
    enum Visitor {
        /// To be run on the callback queue.
        case handler(Handler)
        /// A Swift task, resumed where it is.
        case awaiter(Awaiter)
    }
}

// The task
extension TaskDelegate.State {
    var request: URLRequest? { task?.originalRequest ?? unsent }

    mutating func begin(_ task: SessionTask) { self.task = task }

    mutating func dropTask() -> SessionTask? { task.take() }

    mutating func receive(_ response: HTTPURLResponse) { self.response = response }

    enum Ended {
        /// The gate is open, and this one is in. The task has ended.
        case open(TaskDelegate.Visitor?, SessionTask?)
        /// The callback queue is to conclude.
        case conclude
        /// There was nothing to end.
        case nothing
    }

    /// The task has ended; the first error wins. `isPlain`: only the visitors of the gate are to be asked or told. A
    /// visitor runs the validations then; if there is none, the callback queue does.
    mutating func end(with error: (any Error)?, isPlain: Bool) -> Ended {
        guard stage == .running else { return .nothing }
        self.error = self.error ?? error
        if isPlain, aside == nil, judges.isEmpty || gate.isAwaited {
            stage = .over
            return .open(gate.open(), task)
        }
        stage = .ending
        return .conclude
    }

    /// There is no task, and handlers are to learn why, unless a retrier may still have one made.
    mutating func endWithoutTask() -> TaskDelegate.Visitor? {
        guard task == nil, stage == .running else { return nil }
        stage = .over
        return gate.open()
    }

    /// The request is not wanted any more. Returns the task to cancel; `finishes`: the callback queue is to finish.
    /// Without an error the last attempt's stands.
    mutating func cancel(as error: (any Error)?) -> (task: SessionTask?, finishes: Bool) {
        switch stage {
        case .running: return (task, false)
        case .asking, .retrying:
            self.error = error ?? self.error
            stage = .settled
            return (task, true)
        case .ending, .settled, .over: return (task, false)
        }
    }
}

// Validation and the gate
extension TaskDelegate.State {
    mutating func admit(_ visitor: TaskDelegate.Visitor) -> TaskDelegate.Visitor? {
        switch visitor {
        case .handler: if !isJudged, judges.isEmpty || lastChainedCall != nil { noteChainedCall() }
        case .awaiter: lastChainedCall = nil
        }
        return gate.admit(visitor)
    }

    /// The visitor that is in leaves. Returns the one that is let in.
    mutating func nextVisitor() -> TaskDelegate.Visitor? { gate.next() }

    /// The visitor that is in. A Swift task that is in has been resumed by the code that let it in.
    var visitor: TaskDelegate.Visitor? { gate.visitor }

    /// Has no effect once a visitor has been let in.
    mutating func add(_ judge: TaskDelegate.Judge) {
        if isJudged { return }
        judges.append(judge)
        if lastChainedCall != nil { noteChainedCall() }
    }

    private mutating func noteChainedCall() { lastChainedCall = TaskDelegate.coarseTime }

    /// How much of the grace is left to a validation that may follow the first handler, in seconds; nil if there is
    /// nothing to wait for.
    func remainingGrace(of grace: TimeInterval) -> TimeInterval? {
        guard let lastChainedCall, !isJudged, error == nil, response != nil else { return nil }
        let remaining = grace - TimeInterval(TaskDelegate.coarseTime &- lastChainedCall) / 1e9
        return remaining > 0 ? remaining : nil
    }

    /// The validations that are still to run, once each: as the request ends, and for the first visitor.
    mutating func takeJudges() -> [TaskDelegate.Judge] {
        let left = judgeCount == 0 ? judges : Array(judges.dropFirst(judgeCount))
        judgeCount = judges.count
        if stage == .over {
            isJudged = true
            (judges, judgeCount) = ([], 0)
        }
        return left
    }

    /// Whether to wait with the conclusion: once, where all is well and there is no visitor yet, because the caller of
    /// the request may be about to chain a validation.
    mutating func postpones() -> Bool {
        if stage != .ending || error != nil || gate.isAwaited || isPostponed { return false }
        isPostponed = true
        return true
    }

    /// Whether a visitor has come to conclude for.
    var isDue: Bool { isPostponed && stage == .ending }

    /// What handlers get to see, apart from what came of the body and what the task knows itself.
    var completion: Completion {
        Completion(request: request, response: response, data: nil, error: error, metrics: nil)
    }

    /// Something is wrong: before the end, which keeps the first error, or in the end.
    mutating func fail(_ error: (any Error)?) { self.error = error }
}

// The end
extension TaskDelegate.State {
    /// The retrier is asked now: one question for each time the request was asked. False if there is nothing to ask
    /// about.
    mutating func ask() -> Bool {
        guard stage == .ending || stage == .running && task == nil else { return false }
        stage = .asking(retryCount)
        return true
    }

    enum Answered {
        /// After the delay.
        case retry
        /// The callback queue is to finish.
        case finish
        /// Nothing waits for it any more.
        case nothing
    }

    mutating func answered(_ number: UInt, _ retries: Bool) -> Answered {
        guard stage == .asking(number) else { return .nothing }
        stage = retries ? .retrying : .settled
        return retries ? .retry : .finish
    }

    /// The retry has failed, if it is not too late to say so.
    mutating func settle(with error: (any Error)?) -> Bool {
        guard stage == .retrying else { return false }
        stage = .settled
        self.error = error ?? self.error
        return true
    }

    /// What an attempt leaves behind.
    typealias Remains = (error: (any Error)?, task: SessionTask?)

    /// Another task takes over: what came of the last one is forgotten, and what was asked for stays. Nil if it is too
    /// late.
    mutating func restart(with task: SessionTask) -> Remains? {
        guard stage == .retrying else { return nil }
        let remains = (error, self.task)
        stage = .running
        self.task = task
        (response, error) = (nil, nil)
        (judgeCount, isPostponed) = (0, false)
        retryCount += 1
        return remains
    }

    /// Opens the gate after all that comes before. Returns the visitor that is in, and what is to be released.
    mutating func open() -> (visitor: TaskDelegate.Visitor?, spent: [TaskDelegate.Judge]) {
        stage = .over
        defer { (judges, judgeCount) = (Array(judges.dropFirst(judgeCount)), 0) }
        return (gate.open(), judges)
    }
}
