// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// The versions and features that a client offers, and the servers it trusts; a value, read once by `TLSContext`.
public struct TLSSettings: Sendable, Hashable {
    /// The certificates that chains must end in.
    public var anchors: TrustAnchors = .system
    /// The rules for chains, where a policy validates them.
    public var profile: TrustProfile = .standard
    /// The minimum protocol version.
    public var minimumVersion: TLSProtocolVersion = .v1_2
    /// The maximum protocol version.
    public var maximumVersion: TLSProtocolVersion = .v1_3
    /// The protocols offered by ALPN (RFC 7301), most preferred first; empty sends no ALPN extension.
    public var applicationProtocols: [String] = ["http/1.1"]
    /// Whether later connections to a server may resume an earlier session, which saves both sides the certificates and
    /// the signatures. A session is resumed only under the policy that accepted the server, and while its certificates
    /// are valid.
    public var resumesSessions = true

    /// The certificate for servers that request one; nil sends none. Without ``ClientIdentity/hosts``, every server
    /// that requests a certificate gets it, including the target of a redirect, as with curl.
    public var identity: ClientIdentity?
    /// The log for the secrets of connections; nil, the default, logs none.
    public var keyLog: TLSKeyLog?

    /// TLS 1.2 and 1.3, the system's anchors, and no identity.
    public init() {}
}

/// The supported protocol versions; older ones are deprecated (RFC 8996) and not available.
public enum TLSProtocolVersion: Sendable, Hashable, Comparable, CaseIterable {
    /// TLS 1.2 (RFC 5246).
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case v1_2
    /// TLS 1.3 (RFC 8446).
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case v1_3

    var number: Int32 {
        switch self {
        case .v1_2: TLS1_2_VERSION
        case .v1_3: TLS1_3_VERSION
        }
    }
}

extension TLSProtocolVersion: CustomStringConvertible {
    /// The version as OpenSSL and most logs write it.
    public var description: String {
        switch self {
        case .v1_2: "TLSv1.2"
        case .v1_3: "TLSv1.3"
        }
    }
}
