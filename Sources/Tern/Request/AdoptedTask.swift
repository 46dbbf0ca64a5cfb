// SPDX-License-Identifier: Apache-2.0
import TernEngine
import TernLock

/// A task that was created on the session itself, and how to create the same again. No adapter has changed it.
final class AdoptedTask: TaskConvertible {
    private let adopted: Lock<SessionTask?>
    private let again: any TaskConvertible

    init(_ task: SessionTask, again: any TaskConvertible) {
        adopted = Lock(task)
        self.again = again
    }

    var urlRequest: URLRequest { again.urlRequest }

    func task(telling delegate: TaskDelegate) throws -> SessionTask {
        if let task = adopted.withLock({ $0.take() }) { return task }
        return try again.task(telling: delegate)
    }

    func task(_ adapted: URLRequest, telling delegate: TaskDelegate) throws -> SessionTask {
        try again.task(adapted, telling: delegate)
    }
}
