// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import TernTesting
import TestProofs
import Testing

@testable import TernTLS

/// The verdict on certificates that may have been revoked, as a pure function of the data at hand.
struct RevocationCheckTests {
    private let root: CertificateAuthority
    private let issuer: CertificateAuthority
    private let leaf: Identity
    private let now = Timestamp.now

    init() throws {
        root = try CertificateAuthority()
        issuer = try root.issueIntermediate()
        leaf = try issuer.issue(
            LeafRequest(
                dnsNames: ["localhost"],
                extensions: [
                    CertificateExtension(
                        "authorityInfoAccess", "OCSP;URI:http://ocsp.test/a,OCSP;URI:https://no.test/"),
                    CertificateExtension("crlDistributionPoints", "URI:http://crl.test/b"),
                ]))
    }

    private func judge(
        _ flags: RevocationFlags = .useAnyAvailableMethod, staple: [UInt8]? = nil, responses: [[UInt8]] = [],
        lists: [[UInt8]] = []
    ) throws -> ServerTrustResult {
        var trust = try ServerTrust(leaf, anchors: [root.certificate()], time: now)
        trust.revocation = RevocationData(
            stapledResponse: staple.map(OCSPResponse.init), responses: responses.map(OCSPResponse.init),
            lists: try lists.map(CertificateRevocationList.init))
        return ServerTrustPolicy.performRevokedEvaluation(validateHost: true, revocationFlags: flags)
            .evaluate(trust, host: "localhost")
    }

    @Test(.proves("13.5d")) func `an unknown status passes, unless a positive response is required`() throws {
        let result = try judge()
        #expect(result.isAccepted)
        #expect(result.revocation.map(\.status) == [.undetermined, .undetermined])
        let strict = try judge([.useAnyAvailableMethod, .requirePositiveResponse])
        #expect(strict.failure?.reason == .revocationUndetermined)
        #expect(strict.failure?.depth == 0)
        #expect(strict.rule == "revocation-undetermined")
    }

    @Test func `a good staple vouches for the leaf, and for the leaf alone`() throws {
        let staple = try issuer.ocspResponse(about: leaf, .good)
        let result = try judge(staple: staple)
        #expect(result.revocation[0].status == .good(until: try #require(OCSPResponse(der: staple).nextUpdate)))
        #expect(result.revocation[0].source == .staple)
        #expect(result.revocation[1].status == .undetermined)
        let strict = try judge([.useAnyAvailableMethod, .requirePositiveResponse], staple: staple)
        #expect(strict.failure?.depth == 1)
        let complete = try judge(
            [.useAnyAvailableMethod, .requirePositiveResponse], staple: staple,
            lists: [try root.revocationList(revoking: [])])
        #expect(complete.isAccepted)
        #expect(complete.revocation[1].source == .crl)
    }

    @Test(.proves("13.5a")) func `a revoked certificate is refused by staple, response and list`() throws {
        let response = try issuer.ocspResponse(about: leaf, .revoked(at: now - 100))
        for result in [try judge(staple: response), try judge(responses: [response])] {
            #expect(result.failure?.reason == .revoked(at: now - 100))
            #expect(result.sentence.contains("was revoked at"))
        }
        let byList = try judge(lists: [try issuer.revocationList(revoking: [leaf])])
        guard case .revoked(at: .some) = try #require(byList.failure?.reason) else {
            throw try #require(byList.failure)
        }
        #expect(byList.rule == "revoked")
    }

    @Test func `a revoked intermediate is refused`() throws {
        let intermediate = try #require(try X509Certificate.all(inPEM: leaf.chainPEM).last)
        #expect(intermediate != (try leaf.certificate()))
        let identity = Identity(
            certificatePEM: issuer.certificatePEM, chainPEM: issuer.certificatePEM,
            privateKeyPEM: issuer.privateKeyPEM, pin: issuer.pin)
        let result = try judge(lists: [try root.revocationList(revoking: [identity])])
        #expect(result.failure?.depth == 1)
        #expect(result.rule == "revoked")
    }

    @Test func `good news does not make up for bad`() throws {
        let good = try issuer.ocspResponse(about: leaf, .good)
        let bad = try issuer.ocspResponse(about: leaf, .revoked(at: now - 100))
        #expect(try judge(staple: good, responses: [bad]).rule == "revoked")
        #expect(try judge(staple: bad, responses: [good]).rule == "revoked")
        #expect(try judge(staple: good, lists: [try issuer.revocationList(revoking: [leaf])]).rule == "revoked")
    }

    @Test func `a certificate that demands a staple is refused without one, whatever else is known`() throws {
        let leaf = try issuer.issue(
            LeafRequest(dnsNames: ["localhost"], extensions: [CertificateExtension("tlsfeature", "status_request")]))
        func judge(_ flags: RevocationFlags, _ staple: [UInt8]?, _ responses: [[UInt8]] = []) throws -> String? {
            var trust = try ServerTrust(leaf, anchors: [root.certificate()], time: now)
            trust.revocation = RevocationData(
                stapledResponse: staple.map(OCSPResponse.init), responses: responses.map(OCSPResponse.init))
            return ServerTrustPolicy.performRevokedEvaluation(validateHost: true, revocationFlags: flags)
                .evaluate(trust, host: "localhost").failure?.rule
        }
        let good = try issuer.ocspResponse(about: leaf, .good)
        let revoked = try issuer.ocspResponse(about: leaf, .revoked(at: 1_700_000_000))
        let old = try issuer.ocspResponse(about: leaf, .good, validity: .days(-9, to: -1))
        for flags in [RevocationFlags.useAnyAvailableMethod, .ocsp, [.ocsp, .networkAccessDisabled]] {
            #expect(try judge(flags, good) == nil)
            #expect(try judge(flags, revoked) == "revoked")
            #expect(try judge(flags, nil) == "missing-staple")
            #expect(try judge(flags, old) == "missing-staple")
            #expect(try judge(flags, nil, [good]) == "missing-staple")
            #expect(try judge(flags, nil, [revoked]) == "revoked")
        }
        // Without OCSP no staple is asked for.
        #expect(try judge(.crl, nil) == nil)
    }

    @Test(.proves("13.5d")) func `what the flags leave out does not count`() throws {
        let bad = try issuer.ocspResponse(about: leaf, .revoked(at: now - 100))
        #expect(try judge(.crl, staple: bad, responses: [bad]).isAccepted)
        #expect(try judge(.ocsp, lists: [try issuer.revocationList(revoking: [leaf])]).isAccepted)
    }

    @Test func `a responder that does not know its own certificate is not vouching for it`() throws {
        let unknown = try issuer.ocspResponse(about: leaf, .unknown)
        #expect(try judge(staple: unknown).failure?.reason == .unknownToResponder)
        #expect(try judge(staple: unknown, lists: [try issuer.revocationList(revoking: [])]).isAccepted)
    }

    @Test func `a response counts only if it is current, about the certificate, and signed by an authorised responder`()
        throws
    {
        let stranger = try CertificateAuthority()
        let other = try issuer.issue()
        let plain = try issuer.issue(LeafRequest(commonName: "no responder"))
        let useless: [[UInt8]] = [
            try issuer.ocspResponse(about: leaf, .revoked(at: now), validity: .days(-10, to: -1)),
            try issuer.ocspResponse(about: leaf, .revoked(at: now), validity: .days(1, to: 2)),
            try issuer.ocspResponse(about: other, .revoked(at: now)),
            try stranger.ocspResponse(about: leaf, .revoked(at: now)),
            try issuer.ocspResponse(about: leaf, .revoked(at: now), signedBy: plain),
            try issuer.ocspResponse(about: leaf, .revoked(at: now), signedBy: try stranger.issue(Self.responder)),
            // A responder of the root's is not one of the intermediate's.
            try issuer.ocspResponse(about: leaf, .revoked(at: now), signedBy: try root.issue(Self.responder)),
            try issuer.ocspResponse(
                about: leaf, .revoked(at: now), signedBy: try issuer.issue(Self.responder(valid: .expired))),
            try issuer.ocspResponse(about: leaf, .revoked(at: now), digest: .sha1),
            [], [0x30, 0x03, 0x0a, 0x01, 0x06], Array("<html>".utf8),
        ]
        for (index, response) in useless.enumerated() {
            let result = try judge(staple: response, responses: [response])
            #expect(result.isAccepted, "response \(index)")
            #expect(result.revocation[0].status == .undetermined, "response \(index)")
        }
        let delegated = try issuer.ocspResponse(
            about: leaf, .revoked(at: now), signedBy: try issuer.issue(Self.responder))
        #expect(try judge(staple: delegated).rule == "revoked")
    }

    @Test func `a response cut short or altered anywhere says nothing`() throws {
        let good = try issuer.ocspResponse(about: leaf, .good)
        for count in stride(from: 0, to: good.count, by: 5) {
            #expect(try judge(staple: Array(good.prefix(count))).revocation[0].status == .undetermined)
        }
        for index in stride(from: good.count - 60, to: good.count, by: 3) {
            var altered = good
            altered[index] ^= 0x55
            #expect(try judge(staple: altered).revocation[0].status == .undetermined)
        }
    }

    @Test func `a list counts only if it is current and the issuer's own`() throws {
        let stranger = try CertificateAuthority(commonName: "Tern Test Intermediate CA")
        for list in [
            try issuer.revocationList(revoking: [leaf], validity: .days(-10, to: -1)),
            try issuer.revocationList(revoking: [leaf], validity: .days(1, to: 2)),
            try stranger.revocationList(revoking: [leaf]), try root.revocationList(revoking: [leaf]),
            try issuer.revocationList(revoking: [leaf], digest: .sha1),
        ] {
            let result = try judge(lists: [list])
            #expect(result.isAccepted)
            #expect(result.revocation[0].status == .undetermined)
        }
    }

    @Test func `a forged list hides no genuine one, however new it is`() throws {
        let stranger = try CertificateAuthority(commonName: "Tern Test Intermediate CA")
        let newest = Validity(notBefore: now - 1, notAfter: now + 99_999)
        let forged = try stranger.revocationList(revoking: [], validity: newest)
        let (revoking, good) = (try issuer.revocationList(revoking: [leaf]), try issuer.revocationList(revoking: []))
        let until = try #require(try CertificateRevocationList(der: good).nextUpdate)
        for lists in [[forged, revoking], [revoking, forged], [good, forged, revoking]] {
            #expect(try judge(lists: lists).rule == "revoked")
        }
        for lists in [[forged, good], [good, forged]] {
            #expect(try judge(lists: lists).revocation[0].status == .good(until: until))
        }
    }

    @Test func `a chain that is refused is not asked about`() throws {
        var trust = try ServerTrust(leaf, anchors: [CertificateAuthority().certificate()], time: now)
        trust.revocation.stapledResponse = OCSPResponse(der: try issuer.ocspResponse(about: leaf, .good))
        let result = ServerTrustPolicy.performRevokedEvaluation(
            validateHost: true, revocationFlags: .useAnyAvailableMethod
        ).evaluate(trust, host: "localhost")
        #expect(result.rule == "missing-issuer" || result.rule == "untrusted-root")
        #expect(result.revocation.isEmpty)
    }

    @Test func `a certificate that names many places has the first two of a kind asked`() throws {
        let urls = (1...5).map { "URI:http://crl.test/\($0)" }.joined(separator: ",")
        let many = try issuer.issue(LeafRequest(extensions: [CertificateExtension("crlDistributionPoints", urls)]))
        let questions = RevocationCheck.questions(
            about: try many.certificate(), issuedBy: try issuer.certificate(), .crl)
        #expect(questions == [.list(url: "http://crl.test/1"), .list(url: "http://crl.test/2")])
    }

    @Test func `what is missing comes back as questions, in the order of the flags`() throws {
        func urls(_ flags: RevocationFlags) throws -> [String] {
            try #require(try judge(flags).revocation.first).questions.map(\.url)
        }
        #expect(try urls(.useAnyAvailableMethod) == ["http://ocsp.test/a", "http://crl.test/b"])
        #expect(try urls([.useAnyAvailableMethod, .preferCRL]) == ["http://crl.test/b", "http://ocsp.test/a"])
        #expect(try urls(.ocsp) == ["http://ocsp.test/a"])
        #expect(try urls(.crl) == ["http://crl.test/b"])
        #expect(try urls([.useAnyAvailableMethod, .networkAccessDisabled]) == [])
        let loud = try issuer.issue(
            LeafRequest(extensions: [CertificateExtension("crlDistributionPoints", "URI:HTTP://crl.test/b")]))
        var trust = try ServerTrust(loud, anchors: [root.certificate()], time: now)
        trust.revocation = RevocationData()
        let result = ServerTrustPolicy.performRevokedEvaluation(validateHost: false, revocationFlags: .crl)
            .evaluate(trust, host: "localhost")
        #expect(result.revocation.first?.questions.map(\.url) == ["HTTP://crl.test/b"])
        let staple = try issuer.ocspResponse(about: leaf, .good)
        #expect(try #require(try judge(staple: staple).revocation.first).questions.isEmpty)
    }

    private static let responder = responder(valid: .current)

    private static func responder(valid validity: Validity) -> LeafRequest {
        LeafRequest(
            commonName: "responder", dnsNames: [], validity: validity,
            extensions: [CertificateExtension("extendedKeyUsage", "OCSPSigning")])
    }
}

struct RevocationFlagsTests {
    @Test func `the flags have the values of Alamofire 4, which are those of the Security framework`() {
        let flags: [RevocationFlags] = [.ocsp, .crl, .preferCRL, .requirePositiveResponse, .networkAccessDisabled]
        #expect(flags.map(\.rawValue) == [1, 2, 4, 8, 16])
        #expect(RevocationFlags.useAnyAvailableMethod.rawValue == 3)
    }
}

struct OCSPResponseNextUpdateTests {
    private let authority: CertificateAuthority
    private let leaf: Identity

    init() throws {
        authority = try CertificateAuthority()
        leaf = try authority.issue()
    }

    @Test func `a response expires when its entry says`() throws {
        let validity = Validity(notBefore: 1_600_000_000, notAfter: 1_700_000_000)
        let der = try authority.ocspResponse(about: leaf, .good, validity: validity)
        #expect(OCSPResponse(der: der).nextUpdate == 1_700_000_000)
    }

    @Test func `what is no successful response has no expiry, and leaves no error behind`() throws {
        let der = try authority.ocspResponse(about: leaf, .good)
        // The last is a response with the status tryLater.
        for bytes in [[], Array(der.dropLast(5)), Array("<html>".utf8), [0x30, 0x03, 0x0a, 0x01, 0x03]] {
            #expect(OCSPResponse(der: bytes).nextUpdate == nil)
        }
        #expect(OpenSSLError.drain().isEmpty)
    }
}

struct SignatureStrengthTests {
    @Test(arguments: [
        (NID_sha256WithRSAEncryption, true), (NID_sha384WithRSAEncryption, true), (NID_ecdsa_with_SHA256, true),
        (NID_ecdsa_with_SHA512, true), (NID_sha224WithRSAEncryption, true), (NID_ED25519, true), (NID_ED448, true),
        (NID_rsassaPss, true), (NID_sha1WithRSAEncryption, false), (NID_ecdsa_with_SHA1, false),
        (NID_md5WithRSAEncryption, false), (NID_undef, false), (NID_rsaEncryption, false),
    ])
    func `a signature is strong if its hash has 224 bits or more`(algorithm: Int32, isStrong: Bool) {
        #expect(SignatureStrength.isEnough(algorithm) == isStrong)
    }

    @Test func `no algorithm is not a strong one`() {
        #expect(unsafe !SignatureStrength.isEnough(nil))
    }
}
