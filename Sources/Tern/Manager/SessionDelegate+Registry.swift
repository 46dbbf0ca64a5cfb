// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import TernEngine
import TernLock

// The tasks that the hub serves, and what it knows of requests.
extension SessionDelegate {
    struct Attachment {
        weak var manager: SessionManager?
        weak var session: Session?
        var callbacks: CallbackQueue?
        var adapter: (any RequestAdapter)?
        var retrier: (any RequestRetrier)?
    }

    func attach(_ manager: SessionManager, _ session: Session, _ callbacks: CallbackQueue) {
        attachment.withLock { attachment in
            attachment.manager = manager
            attachment.session = session
            attachment.callbacks = callbacks
        }
    }

    var adapter: (any RequestAdapter)? {
        get { attachment.withLock { $0.adapter } }
        set {
            set(\.adapter, newValue)
            adapts.store(newValue != nil, ordering: .relaxed)
        }
    }

    var retrier: (any RequestRetrier)? {
        get { attachment.withLock { $0.retrier } }
        set {
            set(\.retrier, newValue)
            retries.store(newValue != nil, ordering: .relaxed)
        }
    }

    /// What is replaced is the user's: it goes when the lock is free.
    func set<Value: Sendable>(_ path: WritableKeyPath<Attachment, Value>, _ value: Value) {
        let old = attachment.withLock { attachment in
            let old = attachment[keyPath: path]
            attachment[keyPath: path] = value
            return old
        }
        withExtendedLifetime(old) {}
    }

    subscript<Closure: Sendable>(_ path: WritableKeyPath<Closures, Closure?>) -> Closure? {
        get { closures.withLock { $0[keyPath: path] } }
        set {
            let (old, changesTrust) = closures.withLock { closures in
                let (old, trustChanges) = (closures[keyPath: path], closures.trustChanges)
                closures[keyPath: path] = newValue
                return (old, closures.trustChanges != trustChanges)
            }
            withExtendedLifetime(old) {}
            if old == nil, newValue == nil { return }
            let difference = (newValue == nil ? 0 : 1) - (old == nil ? 0 : 1)
            closureCount.add(difference, ordering: .relaxed)
            if difference > 0 { for request in registry.all { request.delegate.relays() } }
            // A server that was accepted without this closure has to be shown to it before the next request.
            if changesTrust { attachment.withLock { $0.manager }?.adoptPolicies() }
        }
    }

    /// Whether a closure or an overridden method wants to be told of tasks.
    var isOverridden: Bool {
        closureCount.load(ordering: .relaxed) > 0 || type(of: self) != SessionDelegate.self
    }

    /// A request has a task: it is held if that is to be started.
    func add(_ request: Request, for task: SessionTask, starting: Bool = true) {
        if isOverridden { request.delegate.relays() }
        if starting { registry[task] = request } else { registry.note(request, for: task) }
    }

    /// Those that have not ended.
    var requests: [Request] { registry.all }

    /// The manager goes: requests end, and those that wait for a retry keep the error they have.
    func abandonRequests() {
        for request in requests { request.abandon() }
        // What they hold may hold us.
        (adapter, retrier) = (nil, nil)
    }
}

extension SessionDelegate: TaskHub {
    var isConcerned: Bool { hasRetrier || isOverridden }

    var hasRetrier: Bool { retries.load(ordering: .relaxed) }

    var newStream: (@Sendable (Session, SessionTask) -> InputStream?)? { self[\.bodyStream] }

    func adapt(_ request: URLRequest) throws -> URLRequest {
        guard adapts.load(ordering: .relaxed), let adapter else { return request }
        return try adapter.adapt(request)
    }

    func tellCompletion(of task: SessionTask, _ error: (any Error)?) {
        guard let closure = self[\.completion], let session = attachment.withLock({ $0.session }) else { return }
        closure(session, task, error)
    }

    func hold(_ task: SessionTask) { registry.hold(task) }

    func add(_ download: SessionDownloadTask, inPlaceOf task: SessionTask) {
        if let request = registry[task] { registry[download] = request }
    }

    func remove(_ task: SessionTask) { registry[task] = nil }

    func isOnlyHolder(ofRequestOf task: SessionTask) -> Bool { registry.isOnlyHolder(ofRequestOf: task) }

    func forget(_ delegate: TaskDelegate) { registry.forget(delegate) }
}
