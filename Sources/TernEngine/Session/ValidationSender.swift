// SPDX-License-Identifier: Apache-2.0
import TernLock

/// What a session's own tasks need of it.
protocol TaskHome: AnyObject, Sendable {
    var taskDefaults: TaskDefaults { get }

    /// The place for a task that the library starts, whose table is not listed and not waited for; nil if no more tasks are
    /// accepted.
    func ownTaskPlace(for request: URLRequest) -> TaskPlace?
}

extension TaskHome {
    /// Starts a task that is not the program's, in a later tick: another task may be being changed. The session holds it
    /// until it has ended, does not list it, and ends it when it closes. Nil if no more tasks are accepted.
    @discardableResult
    func startOwnTask(
        with request: URLRequest, after chain: RedirectChain, delegate: any SessionTaskDelegate
    ) -> SessionTask? {
        guard let place = ownTaskPlace(for: request) else { return nil }
        let task = SessionDataTask(
            request: request, delegate: delegate, defaults: taskDefaults, at: place, after: chain)
        task.created()
        task.performLater { task.resume() }
        return task
    }
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

    private func send(_ validation: Caching.Validation) {
        session?.startOwnTask(with: validation.request, after: validation.chain, delegate: Reader(validation.flight))
    }
}
