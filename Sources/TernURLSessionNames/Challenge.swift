// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine
import TernFoundation

/// ``TernEngine/Challenge``
public typealias URLAuthenticationChallenge = Challenge
/// ``TernEngine/ProtectionSpace``
public typealias URLProtectionSpace = ProtectionSpace
/// ``TernEngine/Credential``
public typealias URLCredential = Credential

/// ``TernEngine/CredentialStorage``
public typealias URLCredentialStorage = CredentialStorage

extension Session {
    /// ``TernEngine/ChallengeDisposition``
    public typealias AuthChallengeDisposition = ChallengeDisposition
}

/// ``TernEngine/ProtectionSpace/AuthenticationMethod/serverTrust``, as text.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSURLAuthenticationMethodServerTrust = ProtectionSpace.AuthenticationMethod.serverTrust.rawValue
/// ``TernEngine/ProtectionSpace/AuthenticationMethod/clientCertificate``, as text.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSURLAuthenticationMethodClientCertificate = ProtectionSpace.AuthenticationMethod.clientCertificate.rawValue
/// ``TernEngine/ProtectionSpace/AuthenticationMethod/httpBasic``, as text.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSURLAuthenticationMethodHTTPBasic = ProtectionSpace.AuthenticationMethod.httpBasic.rawValue
/// ``TernEngine/ProtectionSpace/AuthenticationMethod/httpDigest``, as text.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSURLAuthenticationMethodHTTPDigest = ProtectionSpace.AuthenticationMethod.httpDigest.rawValue
/// ``TernEngine/ProtectionSpace/AuthenticationMethod/default``, as text.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSURLAuthenticationMethodDefault = ProtectionSpace.AuthenticationMethod.default.rawValue
/// A form on a page; no challenge has it.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSURLAuthenticationMethodHTMLForm = "NSURLAuthenticationMethodHTMLForm"
/// NTLM, which Tern does not speak; no challenge has it.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSURLAuthenticationMethodNTLM = "NSURLAuthenticationMethodNTLM"
/// Negotiate, which Tern does not speak; no challenge has it.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSURLAuthenticationMethodNegotiate = "NSURLAuthenticationMethodNegotiate"
/// The protocol of a space of an http URL.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSURLProtectionSpaceHTTP = "http"
/// The protocol of a space of an https URL.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSURLProtectionSpaceHTTPS = "https"
/// The protocol of a space of an ftp URL; no challenge has it.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSURLProtectionSpaceFTP = "ftp"
/// The type of a proxy for http URLs.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSURLProtectionSpaceHTTPProxy = "NSURLProtectionSpaceHTTPProxy"
/// The type of a proxy for https URLs.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSURLProtectionSpaceHTTPSProxy = "NSURLProtectionSpaceHTTPSProxy"
/// The type of a proxy for ftp URLs.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSURLProtectionSpaceFTPProxy = "NSURLProtectionSpaceFTPProxy"
/// The type of a SOCKS proxy.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSURLProtectionSpaceSOCKSProxy = "NSURLProtectionSpaceSOCKSProxy"
/// An option of removing a credential, without effect: one that was stored as synchronizable is removed like any
/// other.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSURLCredentialStorageRemoveSynchronizableCredentials =
    "NSURLCredentialStorageRemoveSynchronizableCredentials"

extension ProtectionSpace {
    /// Creates the space of a server.
    ///
    /// - Parameters:
    ///   - host: a host as in a URL.
    ///   - port: the port; 0 if it is unknown.
    ///   - protocol: `NSURLProtectionSpaceHTTP` or `NSURLProtectionSpaceHTTPS`.
    ///   - realm: the realm that the server names.
    ///   - authenticationMethod: the required kind of credential; nil for `NSURLAuthenticationMethodDefault`.
    public init(host: String, port: Int, protocol: String?, realm: String?, authenticationMethod: String?) {
        self.init(
            host: host, port: port, protocol: `protocol`, realm: realm,
            authenticationMethod: authenticationMethod.map(AuthenticationMethod.init(rawValue:)), serverTrust: nil)
    }

    /// Creates the space of a proxy. Passwords of proxies are none of a storage's: a proxy that a session uses has them in
    /// its settings.
    public init(proxyHost: String, port: Int, type: String?, realm: String?, authenticationMethod: String?) {
        self.init(
            proxyHost: proxyHost, port: port, type: type ?? "", realm: realm,
            method: authenticationMethod.map(AuthenticationMethod.init(rawValue:)))
    }

    /// The required kind of credential, as text.
    public var authenticationMethod: String { method.rawValue }

    /// Whether the space is that of a proxy.
    public func isProxy() -> Bool { proxyType != nil }

    /// The same space.
    public func copy() -> Any { self }

    /// The same space.
    public func copy(with zone: NSZone? = nil) -> Any { self }
}

extension ProtectionSpace: CustomStringConvertible, CustomDebugStringConvertible {
    /// As Foundation describes a space, but for its address: methods that it does not name are the default one there.
    public var description: String {
        let known = [
            NSURLAuthenticationMethodHTTPBasic, NSURLAuthenticationMethodHTTPDigest, NSURLAuthenticationMethodHTMLForm,
            NSURLAuthenticationMethodNTLM, NSURLAuthenticationMethodNegotiate,
            NSURLAuthenticationMethodClientCertificate, NSURLAuthenticationMethodServerTrust,
        ]
        let scheme =
            known.contains(authenticationMethod) ? authenticationMethod : NSURLAuthenticationMethodDefault
        return "<URLProtectionSpace>: Host:\(host), Server:\(`protocol` ?? "(null)"), Auth-Scheme:\(scheme), "
            + "Realm:\(realm ?? "(null)"), Port:\(port), Proxy:\(isProxy() ? "YES" : "NO"), "
            + "Proxy-Type:\(proxyType.map { "\($0), " } ?? "(null)")"
    }

    /// The same.
    public var debugDescription: String { description }
}

extension Credential {
    /// The same credential.
    public func copy() -> Any { self }

    /// The same credential.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether `object` is an equal credential.
    public func isEqual(_ object: Any?) -> Bool { (object as? Credential) == self }
}

/// Receives the answer to a challenge, for programs that make challenges of their own. Those of the library are answered by
/// the completion handler that comes with them, and have no sender.
public protocol URLAuthenticationChallengeSender: NSObjectProtocol, Sendable {
    /// Answer with this credential.
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge)
    /// Go on without a credential.
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge)
    /// End the request.
    func cancel(_ challenge: URLAuthenticationChallenge)
    /// Use the default handling.
    func performDefaultHandling(for challenge: URLAuthenticationChallenge)
    /// Do not answer.
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge)
}

extension Challenge {
    private struct Origin: Sendable {
        let error: (any Error)?
        let sender: any URLAuthenticationChallengeSender
    }

    private var origin: Origin? { annex as? Origin }

    /// Creates a challenge of the program's own.
    public init(
        protectionSpace space: ProtectionSpace, proposedCredential credential: Credential?, previousFailureCount: Int,
        failureResponse response: (any URLResponse)?, error: (any Error)?, sender: any URLAuthenticationChallengeSender
    ) {
        self.init(
            protectionSpace: space, proposedCredential: credential, previousFailureCount: previousFailureCount,
            failureResponse: response?.http)
        annex = Origin(error: error, sender: sender)
    }

    /// Creates the same challenge with another sender.
    public init(authenticationChallenge challenge: Challenge, sender: any URLAuthenticationChallengeSender) {
        self = challenge
        annex = Origin(error: challenge.error, sender: sender)
    }

    /// The response that requests credentials; nil for a server trust challenge.
    public var failureResponse: (any URLResponse)? { httpFailureResponse }

    /// The error that the challenge was made with; nil for a challenge of the library.
    public var error: (any Error)? { origin?.error }

    /// Who receives the answer; nil for a challenge of the library, whose answer goes to the completion handler.
    public var sender: (any URLAuthenticationChallengeSender)? { origin?.sender }
}

extension CredentialStorage {
    /// Removes the credential of the same user. There are no options to choose: one that was stored as synchronizable is
    /// removed like any other.
    public func remove(_ credential: Credential, for space: ProtectionSpace, options: [String: Any]?) {
        remove(credential, for: space)
    }

    /// Calls `completionHandler`, before it returns, with the credentials of a space by user.
    public func getCredentials(
        for space: ProtectionSpace, task: SessionTask, completionHandler: ([String: Credential]?) -> Void
    ) {
        completionHandler(credentials(for: space))
    }

    /// Calls `completionHandler`, before it returns, with the default credential of a space.
    public func getDefaultCredential(
        for space: ProtectionSpace, task: SessionTask, completionHandler: (Credential?) -> Void
    ) {
        completionHandler(defaultCredential(for: space))
    }

    /// Stores a credential for a space.
    public func set(_ credential: Credential, for space: ProtectionSpace, task: SessionTask) {
        set(credential, for: space)
    }

    /// Stores a credential for a space, and makes it its default.
    public func setDefaultCredential(_ credential: Credential, for space: ProtectionSpace, task: SessionTask) {
        setDefaultCredential(credential, for: space)
    }

    /// Removes the credential of the same user.
    public func remove(
        _ credential: Credential, for space: ProtectionSpace, options: [String: Any]? = nil, task: SessionTask
    ) {
        remove(credential, for: space)
    }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
extension NSNotification.Name {
    /// Posted when credentials in a ``TernEngine/CredentialStorage`` have changed, by the program or because a server has
    /// accepted some. The object is the storage. Posted after the change, on a thread of Tern's that is no reactor's, one
    /// notification after another.
    public static var NSURLCredentialStorageChanged: NSNotification.Name { CredentialNotification.name }
}

/// Who observes the notification has named it. Before that, nothing is posted.
private enum CredentialNotification {
    static let name: NSNotification.Name = {
        let name = NSNotification.Name("NSURLCredentialStorageChangedNotification")
        CredentialStorage.publishChanges(to: { NotificationCenter.default.post(name: name, object: $0) })
        return name
    }()
}
