// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// The versions and features that a client offers, and the servers it trusts; a value, read once by `TLSContext`.
public struct TLSSettings: Sendable, Hashable {
    /// The certificates that chains must end in.
    public var anchors: TrustAnchors = .system
    /// The rules for chains, where a policy validates them.
    public var profile: TrustProfile = .standard
    /// The maximum number of certificates between a server's own and its anchor, where a policy validates chains; nil is
    /// ten, and so is whatever is above.
    public var maximumPathDepth: Int?
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

    /// The offered cipher suites of TLS 1.2 in OpenSSL's notation (openssl-ciphers(1)), such as
    /// `ECDHE-RSA-AES256-GCM-SHA384:ECDHE+CHACHA20`; nil offers authenticated encryption with ephemeral keys on curves
    /// (RFC 9325 §4.2). Names that OpenSSL does not know are skipped; a list that leaves no suite is an error of the
    /// context. Suites of less than 112 bits stay off.
    public var cipherList: String?
    /// The offered cipher suites of TLS 1.3 by their names in RFC 8446 §B.4, most preferred first and separated by
    /// colons, such as `TLS_AES_256_GCM_SHA384`; nil offers OpenSSL's. An unknown name is an error of the context.
    public var cipherSuites: String?
    /// The offered groups for key exchange in OpenSSL's notation (SSL_CTX_set1_groups_list(3)), most preferred first,
    /// such as `X25519:P-256`; nil offers the usual curves, and hybrid groups where OpenSSL has them. An unknown name is
    /// an error of the context.
    public var groups: String?
    /// Revocation lists for policies that check revocation by lists, in addition to fetched ones. A list counts for the
    /// certificates of its issuer while it is current.
    public var revocationLists: [CertificateRevocationList] = []
    /// Certificates that no chain may have, for every policy that validates it: without network, and for intermediates,
    /// too.
    public var distrustedCertificates = DistrustedCertificates.none
    /// The logs of certificates, for policies of Certificate Transparency that have no list of their own.
    public var transparencyLogs: TransparencyLogList?
    /// The authorities of trust domains, for policies of workloads that have no bundle of their own for one; see
    /// ``SPIFFEPolicy``.
    public var spiffeBundles: [SPIFFEID.TrustDomain: SPIFFEBundle] = [:]
    /// Whether to fetch the certificate of an issuer that a server should have sent and did not, from the http URL that
    /// the certificate below it names (`caIssuers`, RFC 5280 §4.2.2.1), as browsers do.
    ///
    /// A fetched certificate is not trusted: like one that the server sends, it may only help to build a chain, which is
    /// then validated as always, and ``ServerTrustResult/fetchedIssuers`` tells that the server is incomplete. It is
    /// fetched before anything is sent to the server besides its handshake, at most four times for one handshake, with at
    /// most 64 KiB each and within five seconds in all; the certificate is kept for an hour. The policy must validate the
    /// chain.
    ///
    /// A server names this URL before it is trusted: with this option, any server, or attacker in between, can make a
    /// client send a GET request by plain http to any host, and learns nothing of its response. An egress policy bounds
    /// where it may lead.
    public var fetchesMissingIssuers = false
    /// Whether a server whose certificate requires a stapled OCSP response (RFC 7633, "must-staple") is refused without
    /// a good one, whatever the policy, as long as that validates the chain. Policies that check revocation by OCSP
    /// always do so.
    public var enforcesMustStaple = false

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
