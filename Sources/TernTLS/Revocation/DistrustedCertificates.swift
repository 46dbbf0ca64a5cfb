// SPDX-License-Identifier: Apache-2.0

/// Certificates that must not be part of a chain, whatever their responders and lists say: those that authorities or the
/// operator of a program have pushed as revoked, as OneCRL and CRLSet do for browsers.
///
/// Each policy that validates a chain refuses one that has such a certificate: those below the anchor count by every rule,
/// and so does a server's own, and the anchor by its key, because its own signature means nothing. If another chain leads
/// around an intermediate that is distrusted, that one counts.
///
/// A shared, immutable value: copying and comparing it costs little, and a lookup costs the same whatever the size.
public struct DistrustedCertificates: Sendable {
    /// What a certificate is known by.
    public enum Entry: Sendable, Hashable {
        /// The content of its serial number's DER INTEGER, and its issuer's name, a DER `Name`.
        case serialNumber([UInt8], issuer: [UInt8])
        /// The content of its serial number's DER INTEGER, and the key of its issuer.
        case serialNumberUnderKey([UInt8], X509Certificate.PublicKey)
        /// Its key.
        case publicKey(X509Certificate.PublicKey)
        /// Its name, a DER `Name`, and its key.
        case subject([UInt8], X509Certificate.PublicKey)
    }

    private final class Storage: Sendable {
        let entries: Set<Entry>
        let validUntil: Int64?
        let digest: [UInt8]

        init(_ entries: Set<Entry>, _ validUntil: Int64?) {
            (self.entries, self.validUntil) = (entries, validUntil)
            digest = DistrustedCertificates.digest(of: entries)
        }
    }

    private let storage: Storage

    /// No certificates.
    public static let none = DistrustedCertificates([])

    /// Creates a list of these.
    ///
    /// - Parameters:
    ///   - entries: what the certificates are known by, in any order.
    ///   - validUntil: when a newer list should have replaced this one, in seconds since 1970; nil if that is unknown. The
    ///     list counts even then.
    public init(_ entries: some Sequence<Entry>, validUntil: Int64? = nil) {
        storage = Storage(Set(entries.lazy.map(\.normalized)), validUntil)
    }

    /// The certificates of this list and of another. It is valid until the first of the two ends.
    public func union(_ other: DistrustedCertificates) -> DistrustedCertificates {
        if isEmpty, validUntil == nil { return other }
        if other.isEmpty, other.validUntil == nil { return self }
        let ends = [validUntil, other.validUntil].compactMap(\.self)
        return DistrustedCertificates(storage.entries.union(other.storage.entries), validUntil: ends.min())
    }

    /// The number of entries.
    public var count: Int { storage.entries.count }

    /// Whether there is no entry.
    public var isEmpty: Bool { storage.entries.isEmpty }

    /// When a newer list should have replaced this one, in seconds since 1970; nil if that is unknown.
    public var validUntil: Int64? { storage.validUntil }

    /// 32 bytes: the same for equal entries in every process, and different for others.
    public var digest: [UInt8] { storage.digest }

    /// The rule by which a certificate is distrusted; nil if it is not.
    ///
    /// - Parameters:
    ///   - certificate: the certificate.
    ///   - issuer: the one above it in its chain; without it, serial numbers count with the issuer's name only.
    public func reason(
        for certificate: X509Certificate, issuedBy issuer: X509Certificate? = nil
    ) -> TrustFailure.DistrustRule? {
        if isEmpty { return nil }
        let (x509, key) = (certificate.x509, certificate.publicKey)
        if let reason = reason(for: x509, key) { return reason }
        let number = x509.serialNumber
        if contains(.serialNumber(number, issuer: x509.issuerName)) { return .serialNumber }
        return issuer.map { contains(.serialNumberUnderKey(number, $0.publicKey)) } == true ? .serialNumber : nil
    }

    /// The first certificate of a validated chain, leaf first, that is distrusted.
    func finding(in chain: [X509Certificate]) -> (depth: Int, reason: TrustFailure.DistrustRule)? {
        if isEmpty { return nil }
        for (depth, certificate) in chain.enumerated() {
            let isAnchor = depth > 0 && depth == chain.count - 1
            let reason =
                isAnchor
                ? reason(for: certificate.x509, certificate.publicKey)
                : reason(for: certificate, issuedBy: depth + 1 < chain.count ? chain[depth + 1] : nil)
            if let reason { return (depth, reason) }
        }
        return nil
    }

    /// Whether bytes have the form of a DER `Name`: others match no certificate.
    package static func isName(_ der: [UInt8]) -> Bool {
        guard var parts = DERElements(sequence: der) else { return false }
        while let part = parts.next() { if part.tag != 0x31 { return false } }
        return parts.isAtEnd
    }

    private func reason(for x509: X509Reference, _ key: X509Certificate.PublicKey) -> TrustFailure.DistrustRule? {
        if contains(.publicKey(key)) { return .publicKey }
        return contains(.subject(x509.subjectName, key)) ? .subjectAndPublicKey : nil
    }

    private func contains(_ entry: Entry) -> Bool { storage.entries.contains(entry) }

    private static func digest(of entries: Set<Entry>) -> [UInt8] {
        var digest = MessageDigest(.sha256)
        let sorted = entries.map(\.bytes).sorted { $0.lexicographicallyPrecedes($1) }
        for bytes in sorted { unsafe bytes.withUnsafeBytes { unsafe digest.update($0) } }
        return digest.finish() ?? []
    }
}

extension DistrustedCertificates: Hashable {
    public static func == (left: DistrustedCertificates, right: DistrustedCertificates) -> Bool {
        left.storage === right.storage || left.digest == right.digest && left.validUntil == right.validUntil
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}

extension DistrustedCertificates.Entry {
    /// With the shortest form of the number (X.690 §8.3.2), which DER has and other writers may not.
    fileprivate var normalized: Self {
        switch self {
        case .serialNumber(let number, issuer: let issuer): .serialNumber(Self.shortest(number), issuer: issuer)
        case .serialNumberUnderKey(let number, let key): .serialNumberUnderKey(Self.shortest(number), key)
        case .publicKey, .subject: self
        }
    }

    private static func shortest(_ number: [UInt8]) -> [UInt8] {
        var rest = number[...]
        while rest.count > 1, rest.first == 0, let next = rest.dropFirst().first, next < 0x80 { rest.removeFirst() }
        return Array(rest)
    }

    /// Other bytes for other entries: lengths come first.
    fileprivate var bytes: [UInt8] {
        let (kind, parts): (UInt8, [[UInt8]]) =
            switch self {
            case .serialNumber(let number, issuer: let issuer): (0, [issuer, number])
            case .serialNumberUnderKey(let number, let key): (1, [key.sha256, number])
            case .publicKey(let key): (2, [key.sha256])
            case .subject(let name, let key): (3, [name, key.sha256])
            }
        return [kind] + parts.flatMap { Array("\($0.count) ".utf8) + $0 }
    }
}
