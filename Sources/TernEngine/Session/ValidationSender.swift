// SPDX-License-Identifier: Apache-2.0
import TernLock

/// What a session's own tasks need of it.
protocol TaskHome: AnyObject, Sendable {
    var taskDefaults: TaskDefaults { get }

    /// Nil if no more tasks are accepted.
    func taskPlace(for request: URLRequest) -> TaskPlace?
}

/// Sends requests whose responses only the session's cache reads, for as long as the session exists. They are not the
/// program's: the session does not list them, and its end does not wait for them.
final class ValidationSender: Sendable {
    private struct Reference: Sendable {
        weak var session: (any TaskHome)?
    }

    /// Retains what shows that the validation is under way.
    private final class Reader: SessionTaskDelegate {
        private let flight: CacheFlight

        init(_ flight: CacheFlight) { self.flight = flight }

        func task(_ task: SessionTask, didCompleteWith error: SessionError?) { flight.end(.unusable) }
    }

    private let reference = Lock(Reference())

    var session: (any TaskHome)? {
        get { reference.withLock { $0.session } }
        set { reference.withLock { $0.session = newValue } }
    }

    /// The cache of a session with this configuration; nil without one.
    func cache(of configuration: SessionConfiguration) -> (any ResponseSource)? {
        Caching(of: configuration) { self.send($0) }
    }

    /// Sends it in a later tick: another task is being changed.
    private func send(_ validation: Caching.Validation) {
        guard let session, let place = session.taskPlace(for: validation.request) else { return }
        let task = SessionDataTask(
            request: validation.request, delegate: Reader(validation.flight), defaults: session.taskDefaults,
            at: TaskPlace(shard: place.shard), after: validation.chain)
        task.performLater { task.resume() }
    }
}
