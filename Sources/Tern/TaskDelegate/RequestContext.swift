// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TernEngine

/// The values that all requests of a session manager share. May outlive the manager.
final class RequestContext: Sendable {
    let session: Session
    let hub: any TaskHub
    let interception: any TaskInterception
    let tasks: any TaskTable
    let callbacks: CallbackQueue
    /// Added to every request that has no such field.
    let defaultHeaders: HeaderFields
    /// The storage whose cookies requests take along; nil if they take none.
    let cookies: HTTPCookieStorage?
    let sensitiveFields: SensitiveFields
    /// The maximum size of a collected body, in bytes.
    let bodyLimit: Int
    private let manages = Atomic<Bool>(true)

    init(
        session: Session, hub: any TaskHub, interception: any TaskInterception, tasks: any TaskTable,
        callbacks: CallbackQueue
    ) {
        self.session = session
        self.hub = hub
        self.interception = interception
        self.tasks = tasks
        self.callbacks = callbacks
        defaultHeaders = session.configuration.httpAdditionalHeaders
        cookies = session.configuration.httpShouldSetCookies ? session.configuration.httpCookieStorage : nil
        sensitiveFields = session.configuration.sensitiveFields
        bodyLimit = session.configuration.maximumCollectedBodySize
    }

    /// Whether the manager was released, so that no request is retried.
    var isOver: Bool { !manages.load(ordering: .sequentiallyConsistent) }

    /// Called when the manager is released.
    func end() { manages.store(false, ordering: .sequentiallyConsistent) }
}
