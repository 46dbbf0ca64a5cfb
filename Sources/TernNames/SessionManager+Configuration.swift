// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import Tern

extension SessionManager {
    /// Always nil: there are no background sessions, so a handler that is set is never called.
    public var backgroundCompletionHandler: (@Sendable () -> Void)? {
        get { nil }
        set {}
    }

    /// A manager whose session has this configuration. `.default` is that of ``TernNames/URLSessionConfiguration``, with its
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
