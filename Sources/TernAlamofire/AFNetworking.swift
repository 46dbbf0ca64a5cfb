// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernAFNetworking

extension AFSecurityPolicy {
    /// A policy that pins nothing: servers are trusted as by the system.
    public static func `default`() -> AFSecurityPolicy { AFSecurityPolicy() }
}

extension AFURLSessionManager {
    /// A manager of a session of its own, which has this configuration. `.default` is that of
    /// ``TernURLSessionNames/URLSessionConfiguration``, with its storages.
    public convenience init(sessionConfiguration configuration: URLSessionConfiguration) {
        self.init(sessionConfiguration: configuration.value)
    }

    /// What the session was made with; a copy, as the session's own is in URLSession.
    public var sessionConfiguration: URLSessionConfiguration { session.configuration }

    /// Runs operations on ``TernAFNetworking/AFURLSessionManager/queue``, one at a time; a new queue for each access.
    public var operationQueue: OperationQueue {
        let operations = OperationQueue()
        operations.maxConcurrentOperationCount = 1
        // Unowned by the operations: the manager holds its queue, and their queue ends with them.
        unsafe operations.underlyingQueue = queue
        return operations
    }
}
