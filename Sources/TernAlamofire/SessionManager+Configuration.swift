// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import Tern
public import TernURLSessionNames

extension SessionManager {
    /// Always nil: there are no background sessions, so a handler that is set is never called.
    public var backgroundCompletionHandler: (@Sendable () -> Void)? {
        get { nil }
        set {}
    }

    /// A manager whose session has this configuration. `.default` is that of ``TernURLSessionNames/URLSessionConfiguration``, with its
    /// storages.
    public convenience init(
        configuration: URLSessionConfiguration, delegate: SessionDelegate = SessionDelegate(),
        serverTrustPolicyManager: ServerTrustPolicyManager? = nil, callbackQueue: DispatchQueue? = nil
    ) {
        self.init(
            configuration: configuration.value, delegate: delegate, serverTrustPolicyManager: serverTrustPolicyManager,
            callbackQueue: callbackQueue)
    }
}

extension Session {
    /// A session with this configuration, whose delegate becomes the hub of a ``Tern/SessionManager``, which chooses the
    /// queue.
    public convenience init(
        configuration: URLSessionConfiguration, delegate: SessionDelegate, delegateQueue: OperationQueue? = nil
    ) {
        self.init(configuration: configuration.value, delegate: delegate)
    }
}
