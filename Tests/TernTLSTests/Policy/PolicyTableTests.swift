// SPDX-License-Identifier: Apache-2.0
import TernTLS
import TernTesting
import TestProofs
import Testing

/// What each case, with each of its switches, makes of each kind of server. A row is a policy; its word has one letter
/// for each server: P passes, F fails.
struct PolicyTableTests {
    private enum Server: CaseIterable {
        /// Nothing is wrong with it.
        case good
        case otherHost
        case expired
        /// Its chain ends in no anchor.
        case foreignRoot
        /// As good as the first one, with another certificate and key.
        case otherLeaf
        /// Its only intermediate is another one of the same authority.
        case wrongIntermediate
        /// Its certificate is for clients.
        case wrongPurpose
        /// Its leaf is a new one with the pinned key.
        case renewed
    }

    private let root, intermediate, sibling: CertificateAuthority
    private let leaf: Identity

    init() throws {
        root = try CertificateAuthority(commonName: "Root")
        intermediate = try root.issueIntermediate(AuthorityRequest(commonName: "Intermediate"))
        sibling = try root.issueIntermediate(AuthorityRequest(commonName: "Sibling"))
        leaf = try intermediate.issue(LeafRequest(dnsNames: ["a.test"]))
    }

    private func trust(_ server: Server) throws -> ServerTrust {
        let key = KeyKind.existing(privateKeyPEM: leaf.privateKeyPEM)
        let other: Identity =
            switch server {
            case .otherLeaf: try intermediate.issue(LeafRequest(dnsNames: ["a.test"]))
            case .renewed: try intermediate.issue(LeafRequest(dnsNames: ["a.test"], key: key))
            case .wrongPurpose:
                try intermediate.issue(
                    LeafRequest(
                        dnsNames: ["a.test"], key: key,
                        extensions: [CertificateExtension("extendedKeyUsage", "clientAuth")]))
            case .good, .otherHost, .expired, .foreignRoot, .wrongIntermediate: leaf
            }
        let anchor = server == .foreignRoot ? try CertificateAuthority(commonName: "Other") : root
        let upper = server == .wrongIntermediate ? sibling : intermediate
        return ServerTrust(
            sentChain: [try other.certificate(), try upper.certificate()],
            anchors: .only([try anchor.certificate()]), time: server == .expired ? 4_000_000_000 : nil)
    }

    private func verdicts(of policy: ServerTrustPolicy) throws -> String {
        try Server.allCases.map { server in
            let host = server == .otherHost ? "b.test" : "a.test"
            return policy.evaluate(try trust(server), host: host).isAccepted ? "P" : "F"
        }.joined()
    }

    @Test(.proves("13.6a", "13.8a")) func `every case, with every combination of its switches`() throws {
        let pin = try leaf.certificate()
        let key = pin.publicKey
        let backup = X509Certificate.PublicKey(subjectPublicKeyInfo: [1])
        let any = RevocationFlags.useAnyAvailableMethod
        //  good, other host, expired, foreign root, other leaf, wrong intermediate, wrong purpose, renewed
        let rows: [(String, ServerTrustPolicy)] = [
            ("PFFFPFFP", .performDefaultEvaluation(validateHost: true)),
            ("PPFFPFFP", .performDefaultEvaluation(validateHost: false)),
            ("PFFFPFFP", .performRevokedEvaluation(validateHost: true, revocationFlags: any)),
            ("PPFFPFFP", .performRevokedEvaluation(validateHost: false, revocationFlags: any)),
            (
                "FFFFFFFF",
                .performRevokedEvaluation(validateHost: true, revocationFlags: [.ocsp, .requirePositiveResponse])
            ),
            // The pins are the only anchors, and a pinned leaf needs nothing else.
            ("PFFPFPFF", .pinCertificates(certificates: [pin], validateCertificateChain: true, validateHost: true)),
            ("PPFPFPFF", .pinCertificates(certificates: [pin], validateCertificateChain: true, validateHost: false)),
            ("PPPPFPFF", .pinCertificates(certificates: [pin], validateCertificateChain: false, validateHost: true)),
            ("PPPPFPFF", .pinCertificates(certificates: [pin], validateCertificateChain: false, validateHost: false)),
            ("FFFFFFFF", .pinCertificates(certificates: [], validateCertificateChain: true, validateHost: true)),
            ("FFFFFFFF", .pinCertificates(certificates: [], validateCertificateChain: false, validateHost: false)),
            // The anchors count as well.
            ("PFFFFFFP", .pinPublicKeys(publicKeys: [key], validateCertificateChain: true, validateHost: true)),
            ("PPFFFFFP", .pinPublicKeys(publicKeys: [key], validateCertificateChain: true, validateHost: false)),
            ("PPPPFPPP", .pinPublicKeys(publicKeys: [key], validateCertificateChain: false, validateHost: true)),
            ("PPPPFPPP", .pinPublicKeys(publicKeys: [key], validateCertificateChain: false, validateHost: false)),
            (
                "PFFFFFFP",
                .pinPublicKeys(publicKeys: [backup, key], validateCertificateChain: true, validateHost: true)
            ),
            ("FFFFFFFF", .pinPublicKeys(publicKeys: [backup], validateCertificateChain: true, validateHost: true)),
            ("FFFFFFFF", .pinPublicKeys(publicKeys: [], validateCertificateChain: true, validateHost: true)),
            ("FFFFFFFF", .pinPublicKeys(publicKeys: [], validateCertificateChain: false, validateHost: false)),
            ("PPPPPPPP", .disableEvaluation),
            ("PPPPPPPP", .customEvaluation { _, _ in true }), ("FFFFFFFF", .customEvaluation { _, _ in false }),
            ("FPFFFFFF", .customEvaluation { _, host in host == "b.test" }),
            ("PFFFFFFP", .pinSet(PinSet(pins: [key]))),
            ("PFFFPFFP", .pinSet(PinSet(pins: [key], expires: 1))),
            ("PFFFPFFP", .pinSet(PinSet(pins: [backup], mode: .reportOnly))),
        ]
        for (expected, policy) in rows { #expect(try verdicts(of: policy) == expected, "\(policy)") }
    }

    /// Alamofire 5's evaluators by their names, made of Alamofire 4's cases.
    @Test func `every evaluator of Alamofire 5's has its rule`() throws {
        let pin = try leaf.certificate()
        let key = pin.publicKey
        let pinned = ServerTrustPolicy.pinCertificates(
            certificates: [pin], validateCertificateChain: false, validateHost: false)
        let rows: [(String, String, ServerTrustPolicy)] = [
            ("DefaultTrustEvaluator", "PFFFPFFP", .performDefaultEvaluation(validateHost: true)),
            ("DefaultTrustEvaluator(validateHost: false)", "PPFFPFFP", .performDefaultEvaluation(validateHost: false)),
            (
                "RevocationTrustEvaluator", "PFFFPFFP",
                .performRevokedEvaluation(validateHost: true, revocationFlags: .useAnyAvailableMethod)
            ),
            // Unlike Alamofire 4's pinned certificates, the chain must reach a root of the system.
            (
                "PinnedCertificatesTrustEvaluator", "PFFFFFFF",
                .composite([.performDefaultEvaluation(validateHost: true), pinned])
            ),
            (
                "PinnedCertificatesTrustEvaluator(acceptSelfSignedCertificates: true)", "PFFPFPFF",
                .pinCertificates(certificates: [pin], validateCertificateChain: true, validateHost: true)
            ),
            (
                "PublicKeysTrustEvaluator", "PFFFFFFP",
                .pinPublicKeys(publicKeys: [key], validateCertificateChain: true, validateHost: true)
            ),
            (
                "PublicKeysTrustEvaluator(performDefaultValidation: false, validateHost: false)", "PPPPFPPP",
                .pinPublicKeys(publicKeys: [key], validateCertificateChain: false, validateHost: false)
            ),
            (
                "CompositeTrustEvaluator", "FFFFFFFF",
                .composite([.disableEvaluation, .customEvaluation { _, _ in false }])
            ),
            ("DisabledTrustEvaluator", "PPPPPPPP", .disableEvaluation),
        ]
        for (name, expected, policy) in rows { #expect(try verdicts(of: policy) == expected, "\(name)") }
    }
}
