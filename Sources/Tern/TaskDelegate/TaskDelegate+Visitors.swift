// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import TernLock

// What waits at the gate.
extension TaskDelegate {
    /// Runs the handler on the callback queue: after the end and the handlers and operations that came before it.
    func handle(_ handler: @escaping Handler) {
        guard let queue = state.withLock({ $0.aside?.queue }) else { return admit(.handler(handler)) }
        // A request that never ends must not be held by its own queue.
        queue.addOperation { [weak self] in self?.admit(.handler(handler)) }
        if !queue.isSuspended { stay(until: queue) }
    }

    /// Lets the operations run.
    func open(_ queue: OperationQueue) {
        queue.isSuspended = false
        stay(until: queue)
    }

    /// Lives until the operations that are there have run.
    private func stay(until queue: OperationQueue) { queue.addOperation { withExtendedLifetime(self) {} } }

    private func admit(_ newcomer: Visitor) {
        let (visitor, isDue, answer) = state.withLock { ($0.admit(newcomer), $0.isDue, $0.takePostponed()) }
        summon(visitor)
        if isDue { context.callbacks.post(self) }
        answer?()
    }

    /// Waits for the end and the handlers that came before.
    func judgedCompletion() async -> Completion {
        await unsafe withUnsafeContinuation { continuation in
            let awaiter = unsafe Awaiter(continuation: continuation)
            admit(.awaiter(awaiter))
            endGrace()
        }
        let completion = judge()
        summon(state.withLock { $0.nextVisitor() })
        return completion
    }

    /// Has the response judged before any handler sees it.
    func validate(_ judge: Judge) { state.withLock { $0.add(judge) } }

    func summon(_ visitor: Visitor?) {
        switch visitor {
        case .handler: context.callbacks.post(self)
        case .awaiter(let awaiter): awaiter.resume()
        case nil: break
        }
    }

    /// The first to ask runs the validations, unless there is an error already.
    func judge() -> Completion {
        var (judges, completion, task) = state.withLock { ($0.takeJudges(), $0.completion, $0.task) }
        fill(&completion)
        completion.metrics = task?.metrics
        guard completion.error == nil, let response = completion.response else { return completion }
        for judge in judges {
            guard let error = judge.verdict(completion, response) else { continue }
            state.withLock { $0.fail(error) }
            completion.error = error
            break
        }
        return completion
    }

    /// Runs handlers until there are no visitors, or an awaiting task is in and carries on from there. On the callback
    /// queue.
    func receiveVisitors() {
        var visitor = state.withLock { $0.visitor }
        guard case .handler? = visitor, !awaitsValidation() else { return }
        while case .handler(let handler)? = visitor {
            handler(judge())
            // The gate forgets the handler: its last reference must not be the one under the lock.
            visitor = withExtendedLifetime(visitor) { state.withLock { $0.nextVisitor() } }
        }
        if case .awaiter(let awaiter)? = visitor { awaiter.resume() }
    }
}
