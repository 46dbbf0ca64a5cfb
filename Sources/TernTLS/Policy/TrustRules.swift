// SPDX-License-Identifier: Apache-2.0

/// What a policy says of chains and connections in place of its session, for ``ServerTrustPolicy/applying(_:to:)``.
///
/// What is nil is left to the session. Rules about chains apply where the policy validates the chain.
public struct TrustRules: Sendable, Hashable {
    /// The certificates that chains must end in.
    public var anchors: TrustAnchors?
    /// Conditions of single anchors: of a private authority that may name hosts of one domain only, say.
    public var anchorConditions: [X509Certificate: AnchorConditions] = [:]
    /// The rules for certificates.
    public var profile: TrustProfile?
    /// The maximum number of certificates between the server's own and its anchor, as
    /// ``ServerTrust/maximumPathDepth``.
    public var maximumPathDepth: Int?
    /// The minimum version of TLS: older ones are not offered.
    public var minimumVersion: TLSProtocolVersion?
    /// The minimum strength of each key of the chain in bits of security (NIST SP 800-57): 112 is RSA 2048, 128 is RSA
    /// 3072 and P-256, 192 is P-384. Below 112, and nil, every chain has the minimum 112.
    public var minimumKeyStrength: Int?
    /// The minimum strength of each signature below the anchor in bits of security: 128 is SHA-256, 192 is SHA-384.
    public var minimumSignatureStrength: Int?
    /// Whether a leaf that requires a stapled response is refused without one; see ``TLSSettings/enforcesMustStaple``.
    public var enforcesMustStaple: Bool?
    /// Whether missing issuers are fetched; see ``TLSSettings/fetchesMissingIssuers``.
    public var fetchesMissingIssuers: Bool?

    /// Certificates that are refused, besides those that the session distrusts.
    public var distrusted: DistrustedCertificates = .none

    /// Rules that leave everything to the session.
    public init() {}

    /// Whether a chain that complies may cease to.
    var haveDates: Bool { anchorConditions.values.contains { $0.notAfter != nil } }

    /// What the rules have against an accepted server.
    ///
    /// - Parameters:
    ///   - chain: the validated chain; empty if there is none.
    ///   - version: that of the connection; nil if there is none.
    func objection(
        to chain: [X509Certificate], over version: TLSProtocolVersion?, at time: Int64, host: String?
    ) -> TrustFailure? {
        let failure = { (reason: TrustFailure.Reason, depth: Int) in
            TrustFailure(
                reason, host: host ?? "", depth: depth, certificate: chain.indices.contains(depth) ? chain[depth] : nil,
                seen: chain)
        }
        if let version, let minimumVersion, version < minimumVersion {
            return failure(.protocolVersion(version, minimum: minimumVersion), 0)
        }
        guard let leaf = chain.first, let anchor = chain.last else { return nil }
        if let (depth, reason) = distrusted.finding(in: chain) { return failure(.distrusted(reason), depth) }
        let violation = anchorConditions[anchor]?.violation(by: leaf, at: time)
        if let violation { return failure(.anchorCondition(violation), chain.count - 1) }
        for (depth, certificate) in chain.enumerated() {
            if let minimumKeyStrength, certificate.x509.keySecurityBits < minimumKeyStrength {
                return failure(.weakKey, depth)
            }
            // The own signature of an anchor proves nothing.
            if depth < chain.count - 1, let minimumSignatureStrength,
                certificate.x509.signatureSecurityBits < minimumSignatureStrength
            {
                return failure(.weakSignature, depth)
            }
        }
        return nil
    }
}

/// For which servers and times an anchor counts, as browsers limit authorities: nil is without a limit.
public struct AnchorConditions: Sendable, Hashable {
    /// The names that a leaf may have. With a list of names or addresses, a leaf must have no other name of either kind; a
    /// wildcard counts as the names that it matches.
    public var hosts: [HostPattern]?
    /// The addresses that a leaf may have.
    public var networks: [AddressBlock]?
    /// The last second at which the anchor counts, since 1970-01-01T00:00:00Z.
    public var notAfter: Int64?
    /// The last second at which a leaf may have become valid, since 1970-01-01T00:00:00Z: later certificates of a
    /// distrusted authority do not count, and earlier ones do.
    public var issuedUntil: Int64?

    /// No conditions.
    public init() {}

    func violation(by leaf: X509Certificate, at time: Int64) -> TrustFailure.AnchorViolation? {
        if let notAfter, time > notAfter { return .time(notAfter) }
        if let issuedUntil, leaf.notBefore ?? .max > issuedUntil { return .issued(issuedUntil) }
        if hosts == nil, networks == nil { return nil }
        return leaf.subjectAlternativeNames.first { !allows($0) }.map(TrustFailure.AnchorViolation.name)
    }

    private func allows(_ name: SubjectAlternativeName) -> Bool {
        switch name {
        case .dns(let name): hosts?.contains { $0.covers(certified: name) } ?? false
        case .ip(let bytes): networks?.contains { $0.contains(bytes) } ?? false
        // TLS clients compare no others.
        case .uri, .email, .other: true
        }
    }
}

/// Addresses with a common prefix.
public struct AddressBlock: Sendable, Hashable {
    /// The first address: 4 or 16 bytes.
    public let first: [UInt8]
    /// The number of leading bits that the addresses have in common.
    public let prefixLength: Int

    /// - Parameters:
    ///   - first: 4 or 16 bytes.
    ///   - prefixLength: up to the number of their bits; what is above is that number.
    public init(_ first: [UInt8], prefixLength: Int) {
        self.first = first
        self.prefixLength = min(max(0, prefixLength), first.count * 8)
    }

    /// Whether the address, of 4 or 16 bytes, is one of them.
    public func contains(_ address: [UInt8]) -> Bool {
        guard address.count == first.count else { return false }
        for (index, (byte, expected)) in zip(address, first).enumerated() {
            let bits = min(max(0, prefixLength - index * 8), 8)
            if (byte ^ expected) >> (8 - bits) != 0 { return false }
        }
        return true
    }
}
