// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import TernLock

// Waiters at the gate.
extension TaskDelegate {
    /// Runs the handler on the callback queue: after the end and the earlier handlers and operations.
    func handle(_ handler: @escaping Handler) {
        guard let queue = state.withLock({ $0.rareState?.queue }) else { return admit(.handler(handler)) }
        // A request that never ends must not be retained by its own queue.
        queue.addOperation { [weak self] in self?.admit(.handler(handler)) }
        if !queue.isSuspended { stay(until: queue) }
    }

    /// Lets the operations run.
    func open(_ queue: OperationQueue) {
        queue.isSuspended = false
        stay(until: queue)
    }

    /// Lives until the existing operations have run.
    private func stay(until queue: OperationQueue) { queue.addOperation { withExtendedLifetime(self) {} } }

    private func admit(_ newWaiter: Waiter) {
        let waiter = state.withLock { $0.admit(newWaiter) }
        resumeWaiter(waiter)
    }

    /// Waits for the end and the earlier handlers.
    func validatedCompletion() async -> Completion {
        await unsafe withUnsafeContinuation { continuation in
            let waitingTask = unsafe WaitingTask(continuation: continuation)
            admit(.waitingTask(waitingTask))
        }
        let completion = runValidators()
        resumeWaiter(state.withLock { $0.nextWaiter() })
        return completion
    }

    /// Validates the response before any handler runs.
    func validate(_ validator: Validator) { state.withLock { $0.add(validator) } }

    func resumeWaiter(_ waiter: Waiter?) {
        switch waiter {
        case .handler: context.callbacks.post(self)
        case .waitingTask(let waitingTask): waitingTask.resume()
        case nil: break
        }
    }

    /// The first caller runs the validations, unless there is an error already.
    func runValidators() -> Completion {
        var (validators, completion, task) = state.withLock { ($0.takeValidators(), $0.completion, $0.task) }
        fill(&completion)
        completion.metrics = task?.metrics
        guard completion.error == nil, let response = completion.response else { return completion }
        for validator in validators {
            guard let error = validator.verdict(completion, response) else { continue }
            state.withLock { $0.fail(error) }
            completion.error = error
            break
        }
        return completion
    }

    /// Runs handlers until there are no waiters, or an awaiting task was let in and continues from there. On the
    /// callback queue.
    func resumeWaiters() {
        var waiter = state.withLock { $0.waiter }
        guard case .handler? = waiter else { return }
        while case .handler(let handler)? = waiter {
            handler(runValidators())
            // The gate drops the handler: its last reference must not be the one under the lock.
            waiter = withExtendedLifetime(waiter) { state.withLock { $0.nextWaiter() } }
        }
        if case .waitingTask(let waitingTask)? = waiter { waitingTask.resume() }
    }
}
