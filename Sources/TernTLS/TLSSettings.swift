// SPDX-License-Identifier: Apache-2.0

/// What a client offers and which servers it trusts; a value, read once by `TLSContext`.
public struct TLSSettings: Sendable, Hashable {
    /// The certificates that chains have to end in.
    public var anchors: TrustAnchors = .system
    /// The rules that chains are held to, where a policy validates them.
    public var profile: TrustProfile = .standard
    /// The oldest version of the protocol that is spoken.
    public var minimumVersion: TLSProtocolVersion = .v1_2
    /// The newest version of the protocol that is spoken.
    public var maximumVersion: TLSProtocolVersion = .v1_3
    /// Offered by ALPN (RFC 7301), most preferred first; empty sends no ALPN extension.
    public var applicationProtocols: [String] = ["http/1.1"]
    /// Whether later connections to a server may resume the session of an earlier one, which saves both sides the
    /// certificates and the signatures. Only under the very policy that accepted the server, and while its certificates
    /// are valid.
    public var resumesSessions = true

    /// The certificate for servers that ask for one; nil sends none. Without ``ClientIdentity/hosts`` each server that
    /// asks gets it, as from curl, also one that a redirect leads to.
    public var identity: ClientIdentity?
    /// Where the secrets of connections are written; nil, as it should be, nowhere.
    public var keyLog: TLSKeyLog?

    /// TLS 1.2 and 1.3, the system's anchors, and no identity.
    public init() {}
}
