// SPDX-License-Identifier: Apache-2.0
import TernEngine
import TernLock

/// One retry of a request. Retains the request, and keeps one without a task in the registry.
final class RequestRetry: TaskRetry {
    /// Asks a retrier about the error of a request.
    typealias Retrier = @Sendable (Request, any Error, @escaping RetryAnswer) -> Void

    private let request: Request
    private let retrier: Retrier
    private let registry: TaskRegistry

    init(_ request: Request, _ retrier: @escaping Retrier, _ registry: TaskRegistry) {
        (self.request, self.retrier, self.registry) = (request, retrier, registry)
        if request.task == nil { registry.addWaiting(request) }
    }

    deinit { registry.removeWaiting(request) }

    func ask(about error: any Error, _ answer: @escaping RetryAnswer) {
        let question = RetryQuestion(answer)
        retrier(request, error) { question.answer($0, after: $1) }
    }

    func perform() {
        let delegate = request.delegate
        guard let original = request.original, !delegate.context.isOver else { return delegate.settle(with: nil) }
        do {
            let last = delegate.task
            let next = try original.task(telling: delegate)
            registry[next] = request
            guard delegate.restart(with: next) else { return registry.remove(next) }
            if let last { registry.remove(last) }
            // The manager may have been released before it could cancel this task.
            if delegate.context.isOver { next.cancel() } else { next.resume() }
        } catch {
            delegate.settle(with: (error as? AdaptError)?.underlying ?? error)
        }
    }
}
