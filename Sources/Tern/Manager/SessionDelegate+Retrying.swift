// SPDX-License-Identifier: Apache-2.0
import TernEngine
import TernLock

// Requests that are asked again.
extension SessionDelegate {
    func ask(about delegate: TaskDelegate, _ error: any Error, _ answer: @escaping RetryAnswer) {
        let (retrier, manager) = attachment.withLock { ($0.retrier, $0.manager) }
        guard let retrier, let manager, let request = registry.request(of: delegate) else { return answer(false, 0) }
        let question = RetryQuestion(answer)
        retrier.should(manager, retry: request, with: error) { question.answer($0, after: $1) }
    }

    /// Has the retrier asked, if there is one, about an adapter that left a request without a task.
    func askAboutAdaptation(of request: Request) -> Bool {
        guard hasRetrier, request.delegate.asks() else { return false }
        registry.await(request)
        request.delegate.askSoon()
        return true
    }

    /// From what was asked for at first, unless it is too late.
    func retry(_ delegate: TaskDelegate) {
        guard let request = registry.request(of: delegate), let original = request.original,
            !delegate.context.isOver
        else { return delegate.settle(with: nil) }
        do {
            let last = delegate.task
            let next = try original.task(telling: delegate)
            add(request, for: next)
            guard delegate.restart(with: next) else { return remove(next) }
            if let last { remove(last) }
            forget(delegate)
            // A manager that has gone meanwhile has not seen this one.
            if delegate.context.isOver { next.cancel() } else { next.resume() }
        } catch {
            delegate.settle(with: (error as? AdaptError)?.underlying ?? error)
        }
    }
}
