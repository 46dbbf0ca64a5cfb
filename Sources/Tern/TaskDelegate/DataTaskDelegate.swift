// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import TernLock

/// Accumulates the body of one data task, or hands it on as it comes, and holds response handlers back until the task has
/// completed.
///
/// Runs no code of the user's on the reactor: handlers and streams run on the callback queue, validations there or in an
/// awaiting task, whichever is let in at the gate first.
final class DataTaskDelegate: TaskDelegate {
    typealias Handler = @Sendable (Completion) -> Void
    typealias StreamHandler = @Sendable (Data) -> Void

    private let callbacks: CallbackQueue
    private let state: Lock<State>

    /// - Parameter error: why there will be no task.
    init(request: URLRequest?, error: (any Error)? = nil, context: RequestContext) {
        callbacks = context.callbacks
        state = Lock(State(request: request, error: error, bodyLimit: context.bodyLimit))
    }

    var response: HTTPURLResponse? { state.withLock { $0.response } }

    /// Runs the handler on the callback queue: after completion and the handlers that came before it.
    func handle(_ handler: @escaping Handler) {
        summon(state.withLock { $0.admit(.handler(handler)) })
    }

    /// Waits for completion and the handlers that came before.
    func completion() async -> Completion {
        await withCheckedContinuation { awaiter in
            summon(state.withLock { $0.admit(.awaiter(awaiter)) })
        }
        let completion = validatedCompletion()
        summon(state.withLock { $0.nextVisitor() })
        return completion
    }

    func validate(_ validation: @escaping DataRequest.Validation) {
        state.withLock { $0.add(validation) }
    }

    /// Hands the body on from now on, what has come already first; nil accumulates it again.
    func stream(_ handler: StreamHandler?) {
        let change = state.withLock { $0.setStream(handler) }
        if change.delivers { callbacks.post(self) }
        if change.isLate { handle { [self] _ in deliver(state.withLock { $0.takeDelivery() }) } }
        change.held?.release()
    }

    func completeWithoutTask() {
        complete(with: nil, metrics: nil)
    }

    private func complete(with error: EngineError?, metrics: TaskMetrics?) {
        let (delivers, visitor) = state.withLock { $0.complete(with: error, metrics: metrics) }
        if delivers { callbacks.post(self) }
        summon(visitor)
    }

    private func summon(_ visitor: Visitor?) {
        switch visitor {
        case .handler: callbacks.post(self)
        case .awaiter(let awaiter): awaiter.resume()
        case nil: break
        }
    }

    /// For whoever is in at the gate: the first to ask runs the validations.
    private func validatedCompletion() -> Completion {
        let (completion, validations) = state.withLock { $0.validate() }
        guard completion.error == nil, let response = completion.response else { return completion }
        for validation in validations {
            guard case .failure(let error) = validation(completion.request, response, completion.data) else { continue }
            return state.withLock { state in
                state.fail(error)
                return state.validate().0
            }
        }
        return completion
    }
}

extension DataTaskDelegate: CallbackQueue.Source {
    func performCallbacks() {
        while true {
            switch state.withLock({ $0.firstStep() }) {
            case .deliver(let delivery): deliver(delivery)
            case .receive(let visitor, _): return receive(visitor)
            }
        }
    }

    private func deliver(_ delivery: State.Delivery?) {
        guard let delivery else { return }
        delivery.handler(delivery.bytes)
        delivery.held?.release()
    }

    /// Runs handlers until nobody is left, or an awaiting task has the turn and carries on from there.
    private func receive(_ visitor: Visitor?) {
        var visitor = visitor
        while case .handler(let handler)? = visitor {
            handler(validatedCompletion())
            // The gate forgets the handler: its last reference must not be the one under the lock.
            visitor = withExtendedLifetime(handler) { state.withLock { $0.nextVisitor() } }
        }
        if case .awaiter(let awaiter)? = visitor { awaiter.resume() }
    }
}

// On the reactor's thread
extension DataTaskDelegate {
    func task(_ task: SessionTask, didReceive response: HTTPURLResponse) {
        state.withLock { $0.receive(response) }
    }

    func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) {
        let intake = state.withLock { $0.receive(bytes, of: task) }
        if intake.delivers { callbacks.post(self) }
        intake.held?.hold()
        if intake.overflows { task.cancel() }
    }

    func task(_ task: SessionTask, didCompleteWith error: EngineError?) {
        complete(with: error, metrics: task.metrics)
    }
}
