// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import Tern
public import TernURLSessionNames

extension SessionManager {
    /// The manager of the process, which keeps its cookies in `HTTPCookieStorage.shared`: they outlive the program. Blocks
    /// while their file is read, if nothing has used that storage before.
    ///
    /// `Alamofire.request` and its like use it. The free functions, `request` without `Alamofire.` before it, use the same
    /// manager, and do not have the file opened.
    public static var `default`: SessionManager {
        _ = HTTPCookieStorage.shared
        return .ofProcess
    }

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
            configuration: configuration.completed, delegate: delegate,
            serverTrustPolicyManager: serverTrustPolicyManager, callbackQueue: callbackQueue)
    }
}

extension Session {
    /// A session with this configuration, whose delegate becomes the hub of a ``Tern/SessionManager``, which chooses the
    /// queue.
    public convenience init(
        configuration: URLSessionConfiguration, delegate: SessionDelegate, delegateQueue: OperationQueue? = nil
    ) {
        self.init(configuration: configuration.completed, delegate: delegate)
    }
}

// As in Alamofire 4: `session.delegate` of a manager is its hub. What an object of Foundation's has is that of its identity.
extension SessionDelegate: URLSessionDelegate {
    /// Whether `object` is the same hub.
    public func isEqual(_ object: Any?) -> Bool { (object as? SessionDelegate) === self }

    /// Of the identity.
    public var hash: Int { ObjectIdentifier(self).hashValue }

    /// The hub.
    public func `self`() -> Self { self }

    /// False.
    public func isProxy() -> Bool { false }

    /// The name of its type.
    public var description: String { "\(type(of: self))" }
}
