// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import TernLock

// The manager's requests, and the information about the user's closures that their tasks' delegates need.
extension SessionDelegate {
    struct Attachment {
        weak var session: Session?
        var callbacks: CallbackQueue?
        /// Makes the session evaluate servers again.
        var adoptPolicies: (@Sendable () -> Void)?
    }

    func context(_ session: Session, _ queue: DispatchQueue) -> RequestContext {
        RequestContext(
            session: session, hub: self, interception: interception, tasks: registry,
            callbacks: CallbackQueue(queue, after: session.eventLoops))
    }

    func attach(_ session: Session, _ callbacks: CallbackQueue, adoptPolicies: @escaping @Sendable () -> Void) {
        attachment.withLock {
            $0 = Attachment(session: session, callbacks: callbacks, adoptPolicies: adoptPolicies)
        }
    }

    subscript<Closure: Sendable>(_ path: WritableKeyPath<ClosureTable.Closures, Closure?>) -> Closure? {
        get { closures[path] }
        set {
            guard let change = closures.set(path, newValue) else { return }
            if change.isNew { for request in registry.all { request.delegate.relays() } }
            // A server that was accepted without this closure must be passed to it before the next request.
            if change.changesTrust { attachment.withLock { $0.adoptPolicies }?() }
        }
    }

    /// Whether a closure or an overridden method receives the events of tasks.
    var isOverridden: Bool { !closures.isEmpty || isSubclass }

    /// Whether methods may be overridden.
    var isSubclass: Bool { type(of: self) != SessionDelegate.self }

    /// Adds a request with its task: retained if the task is to be started.
    func add(_ request: Request, for task: SessionTask, starting: Bool) {
        if isOverridden { request.delegate.relays() }
        if starting { registry[task] = request } else { registry.note(request, for: task) }
    }

    /// Asks the retrier about a request that an adapter left without a task. Returns false without a retrier.
    func askAboutAdaptation(of request: Request) -> Bool {
        if isOverridden { request.delegate.relays() }
        return interception.askAboutAdaptation(of: request)
    }

    /// The requests that have not ended.
    var requests: [Request] { registry.all }

    /// Ends all requests when the manager is released; those that wait for a retry keep their error.
    func abandonRequests() {
        for request in requests { request.abandon() }
        // Objects that they retain may retain this hub.
        (interception.adapter, interception.retrier) = (nil, nil)
    }
}
