// SPDX-License-Identifier: Apache-2.0
import TernTLS
import Testing

/// One test of Alamofire 4.5's `ServerTrustPolicyTests`: its name without `testThat`, and the outcome it demands.
struct AlamofireSituation: Sendable, CustomTestStringConvertible {
    let name: String
    /// The group it is in, because groups repeat names.
    var group = ""
    var passes: Bool
    var hosts: [String]
    var chain: @Sendable (AlamofireFixtures) -> [X509Certificate]
    var anchors: @Sendable (AlamofireFixtures) -> [X509Certificate]
    var policy: @Sendable (AlamofireFixtures) -> ServerTrustPolicy

    init(
        _ name: String, _ passes: Bool, _ policy: @escaping @Sendable (AlamofireFixtures) -> ServerTrustPolicy,
        hosts: [String] = [AlamofireFixtures.host],
        anchors: @escaping @Sendable (AlamofireFixtures) -> [X509Certificate] = { [$0.root] },
        chain: @escaping @Sendable (AlamofireFixtures) -> [X509Certificate]
    ) {
        self.name = name
        self.passes = passes
        self.hosts = hosts
        self.chain = chain
        self.anchors = anchors
        self.policy = policy
    }

    var testDescription: String { group + ": " + name }
}

extension AlamofireSituation {
    private typealias Fixtures = AlamofireFixtures

    /// `BasicX509`: what default evaluation sets without a host, apart from the purpose.
    private static let basicX509: [AlamofireSituation] = {
        let policy: @Sendable (Fixtures) -> ServerTrustPolicy = { _ in .performDefaultEvaluation(validateHost: false) }
        return [
            .init("AnchoredRootCertificatePassesBasicX509ValidationWithRootInTrust", true, policy) {
                [$0.validDNSName, $0.ca2, $0.root]
            },
            .init("AnchoredRootCertificatePassesBasicX509ValidationWithoutRootInTrust", true, policy) {
                [$0.validDNSName, $0.ca2]
            },
            .init("CertificateMissingDNSNamePassesBasicX509Validation", true, policy) { $0.chain(\.missingNames) },
            .init("ExpiredCertificateFailsBasicX509Validation", false, policy) { $0.chain(\.expired) },
        ]
    }()

    /// `SSL(host)` and `SSL(nil)`: what default evaluation sets.
    private static let ssl: [AlamofireSituation] = {
        let named: @Sendable (Fixtures) -> ServerTrustPolicy = { _ in .performDefaultEvaluation(validateHost: true) }
        let unnamed: @Sendable (Fixtures) -> ServerTrustPolicy = { _ in .performDefaultEvaluation(validateHost: false) }
        return [
            .init("AnchoredRootCertificatePassesSSLValidationWithRootInTrust", true, named) {
                [$0.validDNSName, $0.ca2, $0.root]
            },
            .init("AnchoredRootCertificatePassesSSLValidationWithoutRootInTrust", true, named) {
                [$0.validDNSName, $0.ca2]
            },
            .init("CertificateMissingDNSNameFailsSSLValidation", false, named) { $0.chain(\.missingNames) },
            .init("WildcardCertificatePassesSSLValidation", true, named) { $0.chain(\.wildcard) },
            .init("DNSNameCertificatePassesSSLValidation", true, named) { $0.chain(\.validDNSName) },
            .init("URICertificateFailsSSLValidation", false, named) { $0.chain(\.validURI) },
            .init(
                "MultipleDNSNamesCertificatePassesSSLValidationForAllEntries", true, named,
                hosts: ["test.alamofire.org", "blog.alamofire.org", "www.alamofire.org"]
            ) { $0.chain(\.multipleDNSNames) },
            .init("PassingNilForHostParameterAllowsCertificateMissingDNSNameToPassSSLValidation", true, unnamed) {
                $0.chain(\.missingNames)
            },
            .init("ExpiredCertificateFailsSSLValidation", false, named) { $0.chain(\.expired) },
        ]
    }()

    /// The same names and outcomes for both evaluations: the fixtures have no responder, so revocation fails softly.
    private static func evaluation(
        host: Bool, _ policy: @escaping @Sendable (Fixtures) -> ServerTrustPolicy
    ) -> [AlamofireSituation] {
        let suffix = host ? "EvaluationWithHostValidation" : "EvaluationWithoutHostValidation"
        let situations: [AlamofireSituation] = [
            .init("ValidCertificateChainPasses" + suffix, true, policy) { $0.chain(\.validDNSName) },
            .init("NonAnchoredRootCertificateChainFails" + suffix, false, policy, anchors: { _ in [] }) {
                $0.chain(\.validDNSName)
            },
            .init("MissingDNSNameLeafCertificate" + (host ? "Fails" : "Passes") + suffix, !host, policy) {
                $0.chain(\.missingNames)
            },
            .init("ExpiredCertificateChainFails" + suffix, false, policy) { $0.chain(\.expired) },
            .init("MissingIntermediateCertificateInChainFails" + suffix, false, policy) { [$0.validDNSName, $0.root] },
        ]
        let wildcard = AlamofireSituation("WildcardedLeafCertificateChainPasses" + suffix, true, policy) {
            $0.chain(\.wildcard)
        }
        return host ? situations + [wildcard] : situations
    }

    private static func defaultEvaluation(host: Bool) -> [AlamofireSituation] {
        evaluation(host: host) { _ in .performDefaultEvaluation(validateHost: host) }
    }

    private static func revokedEvaluation(host: Bool) -> [AlamofireSituation] {
        evaluation(host: host) { _ in
            .performRevokedEvaluation(validateHost: host, revocationFlags: .useAnyAvailableMethod)
        }
    }

    private static func pinCertificates(host: Bool) -> [AlamofireSituation] {
        let suffix = host ? "EvaluationWithHostValidation" : "EvaluationWithoutHostValidation"
        func situation(
            _ name: String, _ passes: Bool, _ pin: @escaping @Sendable (Fixtures) -> X509Certificate,
            _ chain: @escaping @Sendable (Fixtures) -> [X509Certificate]
        ) -> AlamofireSituation {
            .init(
                name + suffix, passes,
                { .pinCertificates(certificates: [pin($0)], validateCertificateChain: true, validateHost: host) },
                anchors: { _ in [] }, chain: chain)
        }
        return [
            situation("PinnedLeafCertificatePasses", true, \.validDNSName) { $0.chain(\.validDNSName) },
            situation("PinnedIntermediateCertificatePasses", true, \.ca2) { $0.chain(\.validDNSName) },
            situation("PinnedRootCertificatePasses", true, \.root) { $0.chain(\.validDNSName) },
            situation("PinningLeafCertificateNotInCertificateChainFails", false, \.signedByCA2) {
                $0.chain(\.validDNSName)
            },
            situation("PinningIntermediateCertificateNotInCertificateChainFails", false, \.ca1) {
                $0.chain(\.validDNSName)
            },
            situation("PinningExpiredLeafCertificateFails", false, \.expired) { $0.chain(\.expired) },
            situation("PinningIntermediateCertificateWithExpiredLeafCertificateFails", false, \.ca2) {
                $0.chain(\.expired)
            },
        ]
    }

    private static let pinCertificatesWithoutChain: [AlamofireSituation] = {
        func situation(
            _ name: String, _ passes: Bool, _ pins: @escaping @Sendable (Fixtures) -> [X509Certificate],
            _ chain: @escaping @Sendable (Fixtures) -> [X509Certificate]
        ) -> AlamofireSituation {
            .init(
                name + "WithoutCertificateChainValidation" + (passes ? "Passes" : "Fails") + "Evaluation", passes,
                { .pinCertificates(certificates: pins($0), validateCertificateChain: false, validateHost: false) },
                anchors: { _ in [] }, chain: chain)
        }
        return [
            situation("PinnedLeafCertificate", true, { [$0.validDNSName] }) {
                $0.chain(\.validDNSName)
            },
            situation("PinnedIntermediateCertificate", true, { [$0.ca2] }) {
                $0.chain(\.validDNSName)
            },
            situation("PinnedRootCertificate", true, { [$0.root] }) { $0.chain(\.validDNSName) },
            situation("PinningLeafCertificateNotInCertificateChain", false, { [$0.signedByCA2] }) {
                $0.chain(\.validDNSName)
            },
            situation("PinningIntermediateCertificateNotInCertificateChain", false, { [$0.ca1] }) {
                $0.chain(\.validDNSName)
            },
            situation("PinningExpiredLeafCertificate", true, { [$0.expired] }) {
                $0.chain(\.expired)
            },
            situation("PinningIntermediateCertificateWithExpiredLeafCertificate", true, { [$0.ca2] }) {
                $0.chain(\.expired)
            },
            situation("PinningRootCertificateWithExpiredLeafCertificate", true, { [$0.root] }) { $0.chain(\.expired) },
            situation(
                "PinningMultipleCertificates", true,
                { [$0.multipleDNSNames, $0.signedByCA1, $0.dnsAndURI, $0.wildcard, $0.validDNSName] }
            ) { $0.chain(\.validDNSName) },
        ]
    }()

    private static func pinPublicKeys(host: Bool) -> [AlamofireSituation] {
        let suffix = host ? "EvaluationWithHostValidation" : "EvaluationWithoutHostValidation"
        func situation(
            _ name: String, _ passes: Bool, _ pins: @escaping @Sendable (Fixtures) -> [X509Certificate]
        ) -> AlamofireSituation {
            .init(
                name + suffix, passes,
                {
                    .pinPublicKeys(
                        publicKeys: pins($0).map(\.publicKey), validateCertificateChain: true, validateHost: host)
                }
            ) { $0.chain(\.validDNSName) }
        }
        return [
            situation("PinningLeafKeyPasses", true) { [$0.validDNSName] },
            situation("PinningIntermediateKeyPasses", true) { [$0.ca2] },
            situation("PinningRootKeyPasses", true) { [$0.root] },
            situation("PinningKeyNotInCertificateChainFails", false) { [$0.signedByCA2] },
            situation("PinningBackupKeyPasses", true) { [$0.signedByCA1, $0.ca1, $0.validDNSName] },
        ]
    }

    private static let pinPublicKeysWithoutChain: [AlamofireSituation] = {
        func situation(
            _ name: String, _ passes: Bool, _ pin: @escaping @Sendable (Fixtures) -> X509Certificate,
            _ chain: @escaping @Sendable (Fixtures) -> [X509Certificate]
        ) -> AlamofireSituation {
            .init(
                name, passes,
                {
                    .pinPublicKeys(
                        publicKeys: [pin($0).publicKey], validateCertificateChain: false, validateHost: false)
                }, chain: chain)
        }
        return [
            situation(
                "PinningLeafKeyWithoutCertificateChainValidationPassesEvaluationWithMissingIntermediateCertificate",
                true, \.validDNSName
            ) {
                [$0.validDNSName, $0.root]
            },
            situation(
                "PinningRootKeyWithoutCertificateChainValidationFailsEvaluationWithMissingIntermediateCertificate",
                false, \.root
            ) {
                [$0.validDNSName, $0.root]
            },
            situation(
                "PinningLeafKeyWithoutCertificateChainValidationPassesEvaluationWithIncorrectIntermediateCertificate",
                true, \.validDNSName
            ) {
                [$0.validDNSName, $0.ca1, $0.root]
            },
            situation(
                "PinningLeafKeyWithoutCertificateChainValidationPassesEvaluationWithExpiredLeafCertificate", true,
                \.expired
            ) { $0.chain(\.expired) },
            situation(
                "PinningIntermediateKeyWithoutCertificateChainValidationPassesEvaluationWithExpiredLeafCertificate",
                true, \.ca2
            ) { $0.chain(\.expired) },
            situation(
                "PinningRootKeyWithoutCertificateChainValidationPassesEvaluationWithExpiredLeafCertificate", true,
                \.root
            ) { $0.chain(\.expired) },
        ]
    }()

    private static let disableEvaluation: [AlamofireSituation] = [
        .init(
            "CertificateChainMissingIntermediateCertificatePassesEvaluation", true, { _ in .disableEvaluation },
            anchors: { _ in [] }
        ) { [$0.validDNSName, $0.root] },
        .init("ExpiredLeafCertificatePassesEvaluation", true, { _ in .disableEvaluation }, anchors: { _ in [] }) {
            $0.chain(\.expired)
        },
    ]

    private static let customEvaluation: [AlamofireSituation] = [
        .init("ReturningTrueFromClosurePassesEvaluation", true, { _ in .customEvaluation { _, _ in true } }) {
            $0.chain(\.expired)
        },
        // The name is Alamofire's, and misleading.
        .init("ReturningFalseFromClosurePassesEvaluation", false, { _ in .customEvaluation { _, _ in false } }) {
            $0.chain(\.validDNSName)
        },
    ]

    /// Alamofire's groups, and how many tests each has. The 79th test is about files: `ServerTrustPolicyFolderTests`.
    static let groups: [(name: String, count: Int, situations: [AlamofireSituation])] = [
        ("BasicX509 exploration", 4, basicX509), ("SSL policy exploration", 9, ssl),
        ("performDefault, no host", 5, defaultEvaluation(host: false)),
        ("performDefault, host", 6, defaultEvaluation(host: true)),
        ("performRevoked, no host", 5, revokedEvaluation(host: false)),
        ("performRevoked, host", 6, revokedEvaluation(host: true)),
        ("pinCertificates, chain, no host", 7, pinCertificates(host: false)),
        ("pinCertificates, chain + host", 7, pinCertificates(host: true)),
        ("pinCertificates, no chain", 9, pinCertificatesWithoutChain),
        ("pinPublicKeys, chain, no host", 5, pinPublicKeys(host: false)),
        ("pinPublicKeys, chain + host", 5, pinPublicKeys(host: true)),
        ("pinPublicKeys, no chain", 6, pinPublicKeysWithoutChain), ("disableEvaluation", 2, disableEvaluation),
        ("customEvaluation", 2, customEvaluation),
    ]

    static let all = groups.flatMap { group in
        group.situations.map { situation in
            var situation = situation
            situation.group = group.name
            return situation
        }
    }
}
