// SPDX-License-Identifier: Apache-2.0
public import Tern

/// ``Tern/Challenge``
public typealias URLAuthenticationChallenge = Challenge
/// ``TernEngine/ProtectionSpace``
public typealias URLProtectionSpace = ProtectionSpace
/// ``TernEngine/Credential``
public typealias URLCredential = Credential

/// ``TernEngine/CredentialStorage``
public typealias URLCredentialStorage = CredentialStorage

extension Session {
    /// ``Tern/ChallengeDisposition``
    public typealias AuthChallengeDisposition = ChallengeDisposition
}

/// ``TernEngine/ProtectionSpace/AuthenticationMethod/serverTrust``
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSURLAuthenticationMethodServerTrust = ProtectionSpace.AuthenticationMethod.serverTrust
/// ``TernEngine/ProtectionSpace/AuthenticationMethod/clientCertificate``
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSURLAuthenticationMethodClientCertificate = ProtectionSpace.AuthenticationMethod.clientCertificate
/// ``TernEngine/ProtectionSpace/AuthenticationMethod/httpBasic``
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSURLAuthenticationMethodHTTPBasic = ProtectionSpace.AuthenticationMethod.httpBasic
/// ``TernEngine/ProtectionSpace/AuthenticationMethod/httpDigest``
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSURLAuthenticationMethodHTTPDigest = ProtectionSpace.AuthenticationMethod.httpDigest
/// ``TernEngine/ProtectionSpace/AuthenticationMethod/default``
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSURLAuthenticationMethodDefault = ProtectionSpace.AuthenticationMethod.default

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
