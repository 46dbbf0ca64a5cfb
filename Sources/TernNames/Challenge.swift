// SPDX-License-Identifier: Apache-2.0
public import Tern

/// ``Tern/Challenge``
public typealias URLAuthenticationChallenge = Challenge
/// ``Tern/ProtectionSpace``
public typealias URLProtectionSpace = ProtectionSpace
/// ``Tern/Credential``
public typealias URLCredential = Credential

extension Session {
    /// ``Tern/ChallengeDisposition``
    public typealias AuthChallengeDisposition = ChallengeDisposition
}

/// ``Tern/ProtectionSpace/AuthenticationMethod/serverTrust``
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSURLAuthenticationMethodServerTrust = ProtectionSpace.AuthenticationMethod.serverTrust
/// ``Tern/ProtectionSpace/AuthenticationMethod/httpBasic``
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSURLAuthenticationMethodHTTPBasic = ProtectionSpace.AuthenticationMethod.httpBasic
/// ``Tern/ProtectionSpace/AuthenticationMethod/httpDigest``
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSURLAuthenticationMethodHTTPDigest = ProtectionSpace.AuthenticationMethod.httpDigest
/// ``Tern/ProtectionSpace/AuthenticationMethod/default``
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSURLAuthenticationMethodDefault = ProtectionSpace.AuthenticationMethod.default
