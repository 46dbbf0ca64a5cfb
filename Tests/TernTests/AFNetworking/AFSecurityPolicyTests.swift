// SPDX-License-Identifier: Apache-2.0
import Tern
import TernAFNetworking
import TernTesting
import TestProofs
import Testing

/// Every cell of AFNetworking's table, as `AFSecurityPolicy evaluateServerTrust:forDomain:` has it.
@Suite struct AFSecurityPolicyTests {
    private let root, leaf, expired: X509Certificate
    private let good, untrusted, outdated: ServerTrust
    private static let domain = "example.com"

    init() throws {
        let authority = try CertificateAuthority()
        let identity = try authority.issue(LeafRequest(dnsNames: [Self.domain]))
        let old = try authority.issue(LeafRequest(dnsNames: [Self.domain], validity: .expired))
        root = try X509Certificate(pem: authority.certificatePEM)
        leaf = try X509Certificate(pem: identity.certificatePEM)
        expired = try X509Certificate(pem: old.certificatePEM)
        let stranger = try X509Certificate(pem: try CertificateAuthority().certificatePEM)
        good = ServerTrust(sentChain: [leaf], anchors: .only([root]))
        untrusted = ServerTrust(sentChain: [leaf], anchors: .only([stranger]))
        outdated = ServerTrust(sentChain: [expired], anchors: .only([root]))
    }

    private func policy(
        _ mode: AFSecurityPolicy.SSLPinningMode, _ pins: [X509Certificate] = [], allowsInvalid: Bool = false,
        validatesName: Bool = true
    ) -> AFSecurityPolicy {
        var policy = AFSecurityPolicy(pinningMode: mode, withPinnedCertificates: Set(pins))
        policy.allowInvalidCertificates = allowsInvalid
        policy.validatesDomainName = validatesName
        return policy
    }

    private func trusts(_ policy: AFSecurityPolicy, _ trust: ServerTrust, _ domain: String? = domain) -> Bool {
        policy.evaluateServerTrust(trust, forDomain: domain)
    }

    @Test(.proves("1.19a", "13.21a")) func `without pinning, validity decides`() {
        #expect(trusts(AFSecurityPolicy(), good))
        #expect(!trusts(AFSecurityPolicy(), untrusted))
        #expect(!trusts(AFSecurityPolicy(), outdated))
        #expect(!trusts(AFSecurityPolicy(), good, "example.org"))
        #expect(trusts(policy(.none, validatesName: false), good, "example.org"))
        #expect(trusts(AFSecurityPolicy(), good, nil))
        #expect(!trusts(AFSecurityPolicy(), untrusted, nil))
    }

    @Test(.proves("13.20a")) func `a self-signed server with a name to check needs pins`() {
        for mode in [AFSecurityPolicy.SSLPinningMode.none, .publicKey, .certificate] {
            #expect(!trusts(policy(mode, allowsInvalid: true), untrusted))
            #expect(!trusts(policy(mode, allowsInvalid: true), good))
        }
        #expect(!trusts(policy(.none, [leaf], allowsInvalid: true), good))
        #expect(trusts(policy(.none, allowsInvalid: true, validatesName: false), untrusted))
        #expect(trusts(policy(.none, allowsInvalid: true), untrusted, nil))
    }

    @Test(.proves("1.19a", "13.22a")) func `pinned certificates must be in a chain that is valid twice`() {
        for pins in [[leaf], [root], [expired, leaf]] { #expect(trusts(policy(.certificate, pins), good)) }
        #expect(!trusts(policy(.certificate, [expired]), good))
        #expect(!trusts(policy(.certificate, [leaf]), untrusted))
        #expect(!trusts(policy(.certificate, [leaf]), good, "example.org"))
        #expect(!trusts(policy(.certificate), good))
    }

    @Test(.proves("13.22b"))
    func `pinned certificates alone vouch for a server of no authority, if its chain is valid otherwise`() {
        #expect(trusts(policy(.certificate, [leaf], allowsInvalid: true), untrusted))
        #expect(!trusts(policy(.certificate, [leaf], allowsInvalid: true), untrusted, "example.org"))
        #expect(!trusts(policy(.certificate, [expired], allowsInvalid: true), outdated))
    }

    @Test(.proves("13.23a")) func `pinned keys must be in a valid chain`() {
        for pins in [[leaf], [root]] { #expect(trusts(policy(.publicKey, pins), good)) }
        #expect(!trusts(policy(.publicKey, [expired]), good))
        #expect(!trusts(policy(.publicKey, [leaf]), untrusted))
        #expect(!trusts(policy(.publicKey, [leaf]), good, "example.org"))
        #expect(!trusts(policy(.publicKey), good))
        #expect(trusts(policy(.publicKey, [leaf], validatesName: false), good, "example.org"))
    }

    @Test(.proves("13.23b")) func `pinned keys alone vouch for servers that are not valid`() {
        #expect(trusts(policy(.publicKey, [leaf], allowsInvalid: true), untrusted))
        #expect(trusts(policy(.publicKey, [expired], allowsInvalid: true), outdated))
        #expect(!trusts(policy(.publicKey, [expired], allowsInvalid: true), untrusted))
        #expect(!trusts(policy(.publicKey, allowsInvalid: true, validatesName: false), untrusted))
    }
}
