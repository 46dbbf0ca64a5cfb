// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernAlamofire
import TernTesting
import TestProofs
import Testing

class CustomServerTrustPolicyManager: ServerTrustPolicyManager, @unchecked Sendable {
    override func serverTrustPolicy(forHost host: String) -> ServerTrustPolicy? {
        return host.hasSuffix(".example.com") ? .disableEvaluation : super.serverTrustPolicy(forHost: host)
    }
}

@Suite struct Trust {
    private let root: CertificateAuthority
    private let leaf: Identity

    init() throws {
        root = try CertificateAuthority()
        leaf = try root.issueIntermediate().issue(.localhost)
    }

    private func certificate(_ pem: String) throws -> SecCertificate {
        let data = SecCertificateCopyData(try X509Certificate(pem: pem))
        return try #require(SecCertificateCreateWithData(nil, data))
    }

    @Test(.proves("13.1a")) func `policies by host decide`() async throws {
        let origin = try ScriptedOrigin(tls: leaf) { _, _ in [.ok("secret")] }
        let serverTrustPolicies: [String: ServerTrustPolicy] = [
            "localhost": .pinCertificates(
                certificates: [try certificate(root.certificatePEM)],
                validateCertificateChain: true,
                validateHost: true
            ),
            "insecure.expired-apis.com": .disableEvaluation,
        ]
        let sessionManager = SessionManager(
            configuration: URLSessionConfiguration.default,
            serverTrustPolicyManager: ServerTrustPolicyManager(policies: serverTrustPolicies)
        )
        let text: String? = await withCheckedContinuation { continuation in
            sessionManager.request(origin.url()).responseString { continuation.resume(returning: $0.value) }
        }
        #expect(text == "secret")
        let custom = CustomServerTrustPolicyManager(policies: [:])
        #expect(custom.serverTrustPolicy(forHost: "a.example.com") != nil)
        #expect(custom.serverTrustPolicy(forHost: "example.org") == nil)
    }

    @Test(.proves("13.5c", "13.17a")) func `a policy evaluates a trust made of certificates`() throws {
        let chain = try X509Certificate.all(inPEM: leaf.chainPEM)
        var trust: SecTrust = ServerTrust(sentChain: chain)
        let validating = ServerTrustPolicy.performDefaultEvaluation(validateHost: true)
        #expect(!validating.evaluate(trust, forHost: "localhost"))
        trust.anchors = .only([try certificate(root.certificatePEM)])
        #expect(validating.evaluate(trust, forHost: "localhost"))
        #expect(!validating.evaluate(trust, forHost: "example.com"))
        let revoked = ServerTrustPolicy.performRevokedEvaluation(
            validateHost: true, revocationFlags: kSecRevocationUseAnyAvailableMethod)
        #expect(revoked.evaluate(trust, forHost: "localhost"))
        let keys = ServerTrustPolicy.pinPublicKeys(
            publicKeys: chain.compactMap { SecCertificateCopyKey($0) }, validateCertificateChain: true,
            validateHost: true)
        #expect(keys.evaluate(trust, forHost: "localhost"))
        let custom = ServerTrustPolicy.customEvaluation { serverTrust, host in host == "localhost" }
        #expect(custom.evaluate(trust, forHost: "localhost") && !custom.evaluate(trust, forHost: "other"))
        #expect(ServerTrustPolicy.certificates().isEmpty && ServerTrustPolicy.publicKeys().isEmpty)
    }
}
