// SPDX-License-Identifier: Apache-2.0
import TernTLS
import Testing

/// One test of Alamofire 4.5's `ServerTrustPolicyTests`: its name without `testThat`, and the outcome it demands.
struct AlamofireSituation: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var passes: Bool
    var host = AlamofireFixtures.host
    var chain: @Sendable (AlamofireFixtures) -> [Certificate]
    var anchors: @Sendable (AlamofireFixtures) -> [Certificate]
    var policy: @Sendable (AlamofireFixtures) -> ServerTrustPolicy

    init(
        _ name: String, _ passes: Bool, _ policy: @escaping @Sendable (AlamofireFixtures) -> ServerTrustPolicy,
        host: String = AlamofireFixtures.host,
        anchors: @escaping @Sendable (AlamofireFixtures) -> [Certificate] = { [$0.root] },
        chain: @escaping @Sendable (AlamofireFixtures) -> [Certificate]
    ) {
        testDescription = name
        self.passes = passes
        self.host = host
        self.chain = chain
        self.anchors = anchors
        self.policy = policy
    }
}

extension AlamofireSituation {
    private typealias Fixtures = AlamofireFixtures

    /// `SSL(host)` and `SSL(nil)`: what default evaluation sets.
    static let exploration: [AlamofireSituation] = {
        let named: @Sendable (Fixtures) -> ServerTrustPolicy = { _ in .performDefaultEvaluation(validateHost: true) }
        let unnamed: @Sendable (Fixtures) -> ServerTrustPolicy = { _ in .performDefaultEvaluation(validateHost: false) }
        let hosts = ["test", "blog", "www"].map { $0 + ".alamofire.org" }
        return [
            .init("AnchoredRootCertificatePassesBasicX509ValidationWithRootInTrust", true, unnamed) {
                [$0.validDNSName, $0.ca2, $0.root]
            },
            .init("AnchoredRootCertificatePassesBasicX509ValidationWithoutRootInTrust", true, unnamed) {
                [$0.validDNSName, $0.ca2]
            },
            .init("CertificateMissingDNSNamePassesBasicX509Validation", true, unnamed) { $0.chain(\.missingNames) },
            .init("ExpiredCertificateFailsBasicX509Validation", false, unnamed) { $0.chain(\.expired) },
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
            .init("PassingNilForHostParameterAllowsCertificateMissingDNSNameToPassSSLValidation", true, unnamed) {
                $0.chain(\.missingNames)
            },
            .init("ExpiredCertificateFailsSSLValidation", false, named) { $0.chain(\.expired) },
        ]
            + hosts.map { host in
                .init(
                    "MultipleDNSNamesCertificatePassesSSLValidationForAllEntries (\(host))", true, named, host: host
                ) { $0.chain(\.multipleDNSNames) }
            }
    }()

    static let defaultEvaluation: [AlamofireSituation] = [false, true].flatMap { host -> [AlamofireSituation] in
        let policy: @Sendable (Fixtures) -> ServerTrustPolicy = { _ in .performDefaultEvaluation(validateHost: host) }
        let suffix = host ? "EvaluationWithHostValidation" : "EvaluationWithoutHostValidation"
        return [
            .init("ValidCertificateChainPasses" + suffix, true, policy) { $0.chain(\.validDNSName) },
            .init("NonAnchoredRootCertificateChainFails" + suffix, false, policy, anchors: { _ in [] }) {
                $0.chain(\.validDNSName)
            },
            .init("MissingDNSNameLeafCertificate" + (host ? "Fails" : "Passes") + suffix, !host, policy) {
                $0.chain(\.missingNames)
            },
            .init("WildcardedLeafCertificateChainPasses" + suffix, true, policy) { $0.chain(\.wildcard) },
            .init("ExpiredCertificateChainFails" + suffix, false, policy) { $0.chain(\.expired) },
            .init("MissingIntermediateCertificateInChainFails" + suffix, false, policy) { [$0.validDNSName, $0.root] },
        ]
    }

    static let pinCertificates: [AlamofireSituation] = [false, true].flatMap { host -> [AlamofireSituation] in
        let suffix = host ? "EvaluationWithHostValidation" : "EvaluationWithoutHostValidation"
        func situation(
            _ name: String, _ passes: Bool, _ pin: @escaping @Sendable (Fixtures) -> Certificate,
            _ chain: @escaping @Sendable (Fixtures) -> [Certificate]
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

    static let pinCertificatesWithoutChain: [AlamofireSituation] = {
        func situation(
            _ name: String, _ passes: Bool, _ pins: @escaping @Sendable (Fixtures) -> [Certificate],
            _ chain: @escaping @Sendable (Fixtures) -> [Certificate]
        ) -> AlamofireSituation {
            .init(
                name, passes,
                { .pinCertificates(certificates: pins($0), validateCertificateChain: false, validateHost: false) },
                anchors: { _ in [] }, chain: chain)
        }
        return [
            situation("PinnedLeafCertificateWithoutCertificateChainValidationPasses", true, { [$0.validDNSName] }) {
                $0.chain(\.validDNSName)
            },
            situation("PinnedIntermediateCertificateWithoutChainPasses", true, { [$0.ca2] }) {
                $0.chain(\.validDNSName)
            },
            situation("PinnedRootCertificateWithoutChainPasses", true, { [$0.root] }) { $0.chain(\.validDNSName) },
            situation("PinningLeafCertificateNotInCertificateChainFails", false, { [$0.signedByCA2] }) {
                $0.chain(\.validDNSName)
            },
            situation("PinningIntermediateCertificateNotInCertificateChainFails", false, { [$0.ca1] }) {
                $0.chain(\.validDNSName)
            },
            situation("PinningExpiredLeafCertificateWithoutChainPasses", true, { [$0.expired] }) {
                $0.chain(\.expired)
            },
            situation("PinningIntermediateCertificateWithExpiredLeafPasses", true, { [$0.ca2] }) {
                $0.chain(\.expired)
            },
            situation("PinningRootCertificateWithExpiredLeafPasses", true, { [$0.root] }) { $0.chain(\.expired) },
            situation(
                "PinningMultipleCertificatesPasses", true,
                { [$0.multipleDNSNames, $0.signedByCA1, $0.dnsAndURI, $0.wildcard, $0.validDNSName] }
            ) { $0.chain(\.validDNSName) },
        ]
    }()

    static let pinPublicKeys: [AlamofireSituation] = [false, true].flatMap { host -> [AlamofireSituation] in
        let suffix = host ? "EvaluationWithHostValidation" : "EvaluationWithoutHostValidation"
        func situation(
            _ name: String, _ passes: Bool, _ pins: @escaping @Sendable (Fixtures) -> [Certificate]
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

    static let pinPublicKeysWithoutChain: [AlamofireSituation] = {
        func situation(
            _ name: String, _ passes: Bool, _ pin: @escaping @Sendable (Fixtures) -> Certificate,
            _ chain: @escaping @Sendable (Fixtures) -> [Certificate]
        ) -> AlamofireSituation {
            .init(
                name, passes,
                {
                    .pinPublicKeys(
                        publicKeys: [pin($0).publicKey], validateCertificateChain: false, validateHost: false)
                }, chain: chain)
        }
        return [
            situation("PinningLeafKeyPassesWithMissingIntermediateCertificate", true, \.validDNSName) {
                [$0.validDNSName, $0.root]
            },
            situation("PinningRootKeyFailsWithMissingIntermediateCertificate", false, \.root) {
                [$0.validDNSName, $0.root]
            },
            situation("PinningLeafKeyPassesWithIncorrectIntermediateCertificate", true, \.validDNSName) {
                [$0.validDNSName, $0.ca1, $0.root]
            },
            situation("PinningLeafKeyPassesWithExpiredLeafCertificate", true, \.expired) { $0.chain(\.expired) },
            situation("PinningIntermediateKeyPassesWithExpiredLeafCertificate", true, \.ca2) { $0.chain(\.expired) },
            situation("PinningRootKeyPassesWithExpiredLeafCertificate", true, \.root) { $0.chain(\.expired) },
        ]
    }()

    static let others: [AlamofireSituation] = [
        .init(
            "CertificateChainMissingIntermediateCertificatePassesEvaluation", true, { _ in .disableEvaluation },
            anchors: { _ in [] }
        ) { [$0.validDNSName, $0.root] },
        .init("ExpiredLeafCertificatePassesEvaluation", true, { _ in .disableEvaluation }, anchors: { _ in [] }) {
            $0.chain(\.expired)
        },
        .init("ReturningTrueFromClosurePassesEvaluation", true, { _ in .customEvaluation { _, _ in true } }) {
            $0.chain(\.expired)
        },
        .init("ReturningFalseFromClosureFailsEvaluation", false, { _ in .customEvaluation { _, _ in false } }) {
            $0.chain(\.validDNSName)
        },
    ]

    static let all =
        exploration + defaultEvaluation + pinCertificates + pinCertificatesWithoutChain + pinPublicKeys
        + pinPublicKeysWithoutChain + others
}
