// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import TernTesting
import Testing

@testable import TernTLS

struct DistrustedCertificatesTests {
    private let root: CertificateAuthority
    private let issuer: CertificateAuthority
    private let leaf: Identity
    private static let usual = ServerTrustPolicy.performDefaultEvaluation(validateHost: true)

    init() throws {
        root = try CertificateAuthority(commonName: "Root")
        issuer = try root.issueIntermediate()
        leaf = try issuer.issue()
    }

    private func evaluate(
        _ distrusted: [DistrustedCertificates.Entry], _ more: [X509Certificate] = [],
        anchors: [CertificateAuthority]? = nil, by policy: ServerTrustPolicy = usual
    ) throws -> ServerTrustResult {
        var trust = try ServerTrust(leaf, more, anchors: (anchors ?? [root]).map { try $0.certificate() })
        trust.distrustedCertificates = DistrustedCertificates(distrusted)
        return policy.evaluate(trust, host: "localhost")
    }

    /// Each way to distrust a certificate.
    private func entries(
        _ certificate: X509Certificate, of issuer: X509Certificate
    ) -> [(DistrustedCertificates.Entry, TrustFailure.DistrustRule)] {
        let (x509, key) = (certificate.x509, certificate.publicKey)
        return [
            (.serialNumber(x509.serialNumber, issuer: x509.issuerName), .serialNumber),
            (.serialNumberUnderKey(x509.serialNumber, issuer.publicKey), .serialNumber),
            (.publicKey(key), .publicKey), (.subject(x509.subjectName, key), .subjectAndPublicKey),
        ]
    }

    @Test func `a server's own certificate and an intermediate are refused by each rule`() throws {
        let chain = try [leaf.certificate(), issuer.certificate(), root.certificate()]
        for depth in 0...1 {
            for (entry, rule) in entries(chain[depth], of: chain[depth + 1]) {
                let failure = try evaluate([entry]).failure
                #expect(failure?.reason == .distrusted(rule) && failure?.depth == depth)
                #expect(failure?.rule == "distrusted" && failure?.certificate == chain[depth])
                #expect(failure?.seen.count == 3 && failure?.verifyCode == X509_V_ERR_CERT_REVOKED)
                #expect(failure?.sentence.hasSuffix("distrusted certificates, by its \(rule.rawValue)") == true)
            }
        }
        #expect(try evaluate([]).isAccepted)
    }

    @Test func `an anchor is refused by its key, and not by its serial number`() throws {
        let anchor = try root.certificate()
        for (entry, rule) in entries(anchor, of: anchor) {
            #expect(try evaluate([entry]).isAccepted == (rule == .serialNumber))
        }
    }

    @Test func `a server's own certificate is refused even if it is an anchor`() throws {
        let own = try leaf.certificate()
        let policy = ServerTrustPolicy.pinCertificates(
            certificates: [own], validateCertificateChain: true, validateHost: true)
        let number = DistrustedCertificates.Entry.serialNumber(own.x509.serialNumber, issuer: own.x509.issuerName)
        #expect(try evaluate([number], by: policy).failure?.reason == .distrusted(.serialNumber))
        #expect(try evaluate([], by: policy).isAccepted)
    }

    @Test func `each policy that validates the chain refuses it, and no other asks`() throws {
        let entry = DistrustedCertificates.Entry.publicKey(try issuer.certificate().publicKey)
        let key = try X509Certificate.PublicKey(pin: leaf.pin)
        for policy in [
            .performDefaultEvaluation(validateHost: false),
            .performRevokedEvaluation(validateHost: true, revocationFlags: [.crl, .networkAccessDisabled]),
            .pinPublicKeys(publicKeys: [key], validateCertificateChain: true, validateHost: true),
            .pinSet(PinSet(pins: [key])), .composite([.customEvaluation { _, _ in true }, Self.usual]),
            .pinCertificates(
                certificates: [try root.certificate()], validateCertificateChain: true, validateHost: true),
            .certificateTransparency(.chrome(mode: .reportOnly)), .reportOnly(.disableEvaluation),
        ] as [ServerTrustPolicy] {
            #expect(try evaluate([entry], by: policy).rule == "distrusted", "\(policy)")
        }
        #expect(try evaluate([entry], by: .disableEvaluation).isAccepted)
        #expect(
            try evaluate(
                [entry], by: .pinPublicKeys(publicKeys: [key], validateCertificateChain: false, validateHost: false)
            ).isAccepted)
    }

    @Test func `a chain that leads around a distrusted intermediate counts`() throws {
        let other = try CertificateAuthority(commonName: "Other root")
        let cross = try other.crossSign(issuer).certificate()
        let chain = try [issuer.certificate(), root.certificate()]
        let number = entries(chain[0], of: chain[1])[0].0
        let result = try evaluate([number], [cross], anchors: [root, other])
        #expect(result.isAccepted && result.verifiedChain[1] == cross)
        #expect(try evaluate([number], [cross]).failure?.reason == .distrusted(.serialNumber))
        let both = [number, entries(cross, of: try other.certificate())[1].0]
        #expect(try evaluate(both, [cross], anchors: [root, other]).failure?.reason == .distrusted(.serialNumber))
        // A key is in each of its certificates.
        let key = DistrustedCertificates.Entry.publicKey(chain[0].publicKey)
        #expect(try evaluate([key], [cross], anchors: [root, other]).failure?.reason == .distrusted(.publicKey))
    }

    @Test func `other certificates do not match`() throws {
        let (own, above, other) = try (leaf.certificate(), issuer.certificate(), root.certificate())
        #expect(
            try evaluate([
                .serialNumber(own.x509.serialNumber, issuer: other.x509.subjectName),
                .serialNumberUnderKey(own.x509.serialNumber, other.publicKey),
                .serialNumber(above.x509.serialNumber, issuer: own.x509.issuerName),
                .subject(other.x509.subjectName, own.publicKey), .subject(own.x509.subjectName, other.publicKey),
            ]).isAccepted)
    }

    @Test func `a serial number has many spellings, and a negative one is another`() {
        let issuer: [UInt8] = [0x30, 0]
        func list(_ number: [UInt8]) -> DistrustedCertificates {
            DistrustedCertificates([.serialNumber(number, issuer: issuer)])
        }
        #expect(list([0, 0, 0x7f]) == list([0x7f]) && list([0, 0x80]) == list([0, 0, 0x80]))
        #expect(list([0x80]) != list([0, 0x80]) && list([0]) == list([0, 0]))
    }

    @Test func `lists are equal whatever their order, and a digest is the same in every process`() throws {
        let key = try #require(X509Certificate.PublicKey(sha256: [UInt8](repeating: 7, count: 32)))
        let entries: [DistrustedCertificates.Entry] = [
            .publicKey(key), .subject([1, 2], key), .serialNumber([1], issuer: [2]), .serialNumberUnderKey([2], key),
        ]
        let (list, turned) = (DistrustedCertificates(entries), DistrustedCertificates(entries.reversed()))
        #expect(list == turned && list.digest == turned.digest && list.count == 4)
        #expect(list.digest.prefix(4) == [161, 69, 231, 162])
        let parts = entries.map { DistrustedCertificates([$0]) }
        #expect(Set(parts.map(\.digest)).count == 4)
        #expect(parts.reduce(DistrustedCertificates.none) { $0.union($1) } == list)
        #expect(DistrustedCertificates([.subject([1], key)]) != DistrustedCertificates([.subject([1, 2], key)]))
        let ends = [DistrustedCertificates([], validUntil: 9), DistrustedCertificates(entries, validUntil: 5), list]
        #expect(ends.reduce(DistrustedCertificates.none) { $0.union($1) }.validUntil == 5)
        #expect(ends[1] != list && ends[1].digest == list.digest)
        #expect(DistrustedCertificates.none.isEmpty && X509Certificate.PublicKey(sha256: [1]) == nil)
    }
}
