// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// The authorities of a trust domain, whose chains its workloads have.
///
/// Create the value once and copy it: the copies share one index.
public struct SPIFFEBundle: Sendable {
    /// The certificates of the authorities. None refuses every workload of the trust domain.
    public let authorities: [X509Certificate]
    /// The number of the bundle, which grows with each change; nil if it is not known.
    public let sequence: Int?
    /// After how many seconds to look for a newer bundle; nil if that is not known.
    public let refreshHint: Int?
    let anchors: TrustAnchors

    /// Creates a bundle of these authorities.
    public init(authorities: [X509Certificate], sequence: Int? = nil, refreshHint: Int? = nil) {
        self.authorities = authorities
        self.sequence = sequence
        self.refreshHint = refreshHint
        anchors = .only(authorities)
    }
}

extension SPIFFEBundle: Hashable {
    public static func == (left: SPIFFEBundle, right: SPIFFEBundle) -> Bool {
        left.authorities == right.authorities && left.sequence == right.sequence
            && left.refreshHint == right.refreshHint
    }

    /// Certificates are long, and a key of sessions is hashed for each connection.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(authorities.count)
        hasher.combine(sequence)
    }
}

/// The workloads that may answer, and the authorities that prove who they are (SPIFFE, X.509-SVID §5).
///
/// The server's certificate names it by a SPIFFE ID, and its chain must end in the bundle of *that* trust domain: the
/// authorities of another one count for nothing, and neither do the session's anchors. The host of a request is not
/// compared with the certificate, and may be any name that leads there, such as `payments`.
///
/// The chain is validated by the rules of ``TrustProfile/standard``, whatever the session's: those of the web require
/// other certificates.
public struct SPIFFEPolicy: Sendable, Hashable {
    /// Which workloads are allowed.
    public enum Workloads: Sendable, Hashable {
        /// The one of this name.
        case id(SPIFFEID)
        /// Those whose path begins with the path of this name, in whole segments, and the one of this name; see
        /// ``SPIFFEID/isWithin(_:)``.
        case within(SPIFFEID)
        /// All of a trust domain.
        case trustDomain(SPIFFEID.TrustDomain)

        func contains(_ id: SPIFFEID) -> Bool {
            switch self {
            case .id(let allowed): id == allowed
            case .within(let allowed): id.isWithin(allowed)
            case .trustDomain(let domain): id.trustDomain == domain
            }
        }
    }

    /// The workloads that are allowed; none refuses every server.
    public var allowed: [Workloads]
    /// The bundles by trust domain. For a trust domain that has none here, that of the session counts,
    /// ``TLSSettings/spiffeBundles``.
    public var bundles: [SPIFFEID.TrustDomain: SPIFFEBundle]

    /// Allows workloads, by the session's bundles unless others are given.
    public init(allowed: [Workloads], bundles: [SPIFFEID.TrustDomain: SPIFFEBundle] = [:]) {
        self.allowed = allowed
        self.bundles = bundles
    }

    /// Allows one workload.
    public init(id: SPIFFEID, bundle: SPIFFEBundle) {
        self.init(allowed: [.id(id)], bundles: [id.trustDomain: bundle])
    }

    /// What a chain that ends in the bundle of its trust domain still lacks.
    func problem(of chain: [X509Certificate]) -> SPIFFEProblem? {
        guard let leaf = chain.first else { return .noID }
        if leaf.x509.has(EXFLAG_CA) { return .authority }
        guard leaf.x509.has(EXFLAG_KUSAGE), leaf.x509.mayUse(KU_DIGITAL_SIGNATURE),
            !leaf.x509.mayUse(KU_KEY_CERT_SIGN | KU_CRL_SIGN)
        else { return .keyUsage }
        guard chain.dropFirst().allSatisfy(\.isNamedAsAuthority) else { return .invalidIssuer }
        do throws(SPIFFEProblem) {
            let id = try leaf.workload()
            return allowed.contains { $0.contains(id) } ? nil : .otherID(id)
        } catch {
            return error
        }
    }

    /// The whole policy as bytes, which are the same for equal policies in every process, and differ for others.
    package var bytes: [[UInt8]] {
        allowed.map { Array("\($0)".utf8) } + Self.bytes(of: bundles)
    }

    /// Bundles as bytes, as above; none for none.
    package static func bytes(of bundles: [SPIFFEID.TrustDomain: SPIFFEBundle]) -> [[UInt8]] {
        bundles.sorted { $0.key.name < $1.key.name }.flatMap { domain, bundle in
            [Array(domain.name.utf8)] + bundle.authorities.map(\.der)
        }
    }
}

extension X509Certificate {
    /// X.509-SVID §4.3: an authority need not have a SPIFFE ID, and one that it has is that of a trust domain.
    fileprivate var isNamedAsAuthority: Bool {
        let ids = uris.filter { $0.lowercased().hasPrefix("spiffe:") }
        guard let text = ids.first else { return true }
        return ids.count == 1 && (try? SPIFFEID(text))?.path == ""
    }
}

extension SPIFFEPolicy: CustomStringConvertible {
    /// For example `workload spiffe://example.org/payments`.
    public var description: String {
        allowed.isEmpty ? "no workload" : "workload " + ShortenedText.list(allowed.lazy.map(\.description))
    }
}

extension SPIFFEPolicy.Workloads: CustomStringConvertible {
    /// `spiffe://example.org/payments`, `spiffe://example.org/payments/**` or `spiffe://example.org/**`, where the last two
    /// include the name without a further segment.
    public var description: String {
        switch self {
        case .id(let id): "\(id)"
        case .within(let id): "\(id)/**"
        case .trustDomain(let domain): "spiffe://\(domain)/**"
        }
    }
}
