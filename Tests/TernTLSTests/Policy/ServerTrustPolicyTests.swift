// SPDX-License-Identifier: Apache-2.0
import TernTLS
import TernTesting
import TestProofs
import Testing

struct ServerTrustPolicyTests {
    @Test(.proves("13.4a", "13.6a", "13.7a", "13.9a", "13.17a", "13.18a"), arguments: AlamofireSituation.all)
    func `every situation of Alamofire's has Alamofire's outcome`(situation: AlamofireSituation) throws {
        let fixtures = try AlamofireFixtures.shared.get()
        let trust = ServerTrust(sentChain: situation.chain(fixtures), anchors: .only(situation.anchors(fixtures)))
        for host in situation.hosts {
            let result = situation.policy(fixtures).evaluate(trust, host: host)
            #expect(result.isAccepted == situation.passes, "\(result)")
            #expect(situation.policy(fixtures).evaluate(trust, forHost: host) == situation.passes)
            #expect(result.sentChain == trust.sentChain)
        }
    }

    @Test(.proves("13.18a")) func `no situation is missing`() {
        for group in AlamofireSituation.groups { #expect(group.situations.count == group.count, "\(group.name)") }
        #expect(Set(AlamofireSituation.all.map(\.testDescription)).count == 78)
    }

    @Test(.proves("13.14a")) func `the verified chain is the one that was built, not the one that was sent`() throws {
        let fixtures = try AlamofireFixtures.shared.get()
        let sent = [fixtures.validDNSName, fixtures.ca1, fixtures.wildcard, fixtures.ca2]
        let trust = ServerTrust(sentChain: sent, anchors: .only([fixtures.root]))
        let result = ServerTrustPolicy.performDefaultEvaluation(validateHost: true)
            .evaluate(trust, host: AlamofireFixtures.host)
        #expect(result.verifiedChain == [fixtures.validDNSName, fixtures.ca2, fixtures.root])
        #expect(
            result.verifiedKeys == [
                fixtures.validDNSName.publicKey, fixtures.ca2.publicKey, fixtures.root.publicKey,
            ])
    }

    @Test(.proves("13.12a"), arguments: [false, true], [false, true])
    func `no pins refuse everyone`(chain: Bool, host: Bool) throws {
        let fixtures = try AlamofireFixtures.shared.get()
        let trust = ServerTrust(sentChain: fixtures.chain(\.validDNSName), anchors: .only([fixtures.root]))
        let policies: [ServerTrustPolicy] = [
            .pinCertificates(certificates: [], validateCertificateChain: chain, validateHost: host),
            .pinPublicKeys(publicKeys: [], validateCertificateChain: chain, validateHost: host),
        ]
        for policy in policies { #expect(!policy.evaluate(trust, host: AlamofireFixtures.host).isAccepted) }
    }

    @Test func `no certificate is refused by every policy that looks at one`() throws {
        let fixtures = try AlamofireFixtures.shared.get()
        let trust = ServerTrust(sentChain: [], anchors: .only([fixtures.root]))
        let pin = [fixtures.root]
        for chain in [false, true] {
            let policies: [ServerTrustPolicy] = [
                .performDefaultEvaluation(validateHost: chain),
                .pinCertificates(certificates: pin, validateCertificateChain: chain, validateHost: false),
                .pinPublicKeys(publicKeys: pin.map(\.publicKey), validateCertificateChain: chain, validateHost: false),
            ]
            for policy in policies {
                #expect(policy.evaluate(trust, host: "a.test").failure?.reason == .noCertificate)
            }
        }
    }

    /// A wrong pin counts whatever the other switches say.
    @Test(.proves("13.8a"), arguments: [false, true], [false, true])
    func `a wrong key pin refuses with every combination of switches`(chain: Bool, host: Bool) throws {
        let fixtures = try AlamofireFixtures.shared.get()
        let trust = ServerTrust(sentChain: fixtures.chain(\.validDNSName), anchors: .only([fixtures.root]))
        let pins = [fixtures.ca1.publicKey]
        let result = ServerTrustPolicy.pinPublicKeys(
            publicKeys: pins, validateCertificateChain: chain, validateHost: host
        ).evaluate(trust, host: AlamofireFixtures.host)
        #expect(result.failure?.reason == .keyNotPinned(pins: pins))
        #expect(result.failure?.seen.map(\.publicKey) == fixtures.chain(\.validDNSName).map(\.publicKey))
    }

    @Test(.proves("13.16a")) func `a renewed certificate matches by its key and not by its bytes`() throws {
        let root = try CertificateAuthority()
        let old = try root.issue()
        let renewed = try root.issue(
            LeafRequest(dnsNames: ["localhost"], key: .existing(privateKeyPEM: old.privateKeyPEM)))
        let trust = try ServerTrust(renewed, anchors: [root.certificate()])
        let byKey = ServerTrustPolicy.pinPublicKeys(
            publicKeys: [try X509Certificate.PublicKey(pin: old.pin)], validateCertificateChain: true,
            validateHost: true)
        #expect(byKey.evaluate(trust, host: "localhost").isAccepted)
        let byBytes = ServerTrustPolicy.pinCertificates(
            certificates: [try old.certificate()], validateCertificateChain: true, validateHost: true)
        #expect(!byBytes.evaluate(trust, host: "localhost").isAccepted)
    }

    @Test(.proves("13.6a")) func `a self-signed server works as its own pin, name and dates included`() throws {
        let own = try CertificateAuthority.selfSigned(LeafRequest(dnsNames: ["box.test"]))
        let policy = ServerTrustPolicy.pinCertificates(
            certificates: [try own.certificate()], validateCertificateChain: true, validateHost: true)
        let trust = try ServerTrust(own, anchors: [])
        #expect(policy.evaluate(trust, host: "box.test").isAccepted)
        #expect(!policy.evaluate(trust, host: "other.test").isAccepted)
        let later = try ServerTrust(own, anchors: [], time: 4_000_000_000)
        #expect(!policy.evaluate(later, host: "box.test").isAccepted)
        let unpinned = ServerTrustPolicy.performDefaultEvaluation(validateHost: true).evaluate(trust, host: "box.test")
        #expect(unpinned.failure?.reason == .noAnchors)
    }

    @Test func `a pinned leaf is not spoilt by an expired intermediate sent along`() throws {
        let root = try CertificateAuthority()
        let intermediate = try root.issueIntermediate(
            AuthorityRequest(commonName: "Expired CA", validity: .expired))
        let leaf = try intermediate.issue()
        let trust = try ServerTrust(leaf, anchors: [root.certificate()])
        let pinned = ServerTrustPolicy.pinCertificates(
            certificates: [try leaf.certificate()], validateCertificateChain: true, validateHost: true)
        #expect(pinned.evaluate(trust, host: "localhost").isAccepted)
        let failure = ServerTrustPolicy.performDefaultEvaluation(validateHost: true)
            .evaluate(trust, host: "localhost").failure
        guard case .expired = failure?.reason else { throw try #require(failure) }
        #expect(failure?.depth == 1)
        #expect(failure?.certificate == (try intermediate.certificate()))
    }

    @Test(.proves("13.11a")) func `a custom evaluation sees the trust and the host, and may ask other policies`() throws
    {
        let fixtures = try AlamofireFixtures.shared.get()
        let sent = fixtures.chain(\.validDNSName)
        let policy = ServerTrustPolicy.customEvaluation { trust, host in
            trust.sentChain == sent
                && ServerTrustPolicy.performDefaultEvaluation(validateHost: true).evaluate(trust, host: host).isAccepted
        }
        let trust = ServerTrust(sentChain: sent, anchors: .only([fixtures.root]))
        #expect(policy.evaluate(trust, host: AlamofireFixtures.host).isAccepted)
        #expect(policy.evaluate(trust, host: "elsewhere.test").failure?.reason == .customEvaluation)
    }

    @Test func `a fraction of a second after its last second a certificate has expired`() throws {
        let fixtures = try AlamofireFixtures.shared.get()
        let leaf = fixtures.validDNSName
        let policy = ServerTrustPolicy.performDefaultEvaluation(validateHost: true)
        var trust = ServerTrust(sentChain: fixtures.chain(\.validDNSName), anchors: .only([fixtures.root]))
        #expect(trust.isBetweenSeconds, "now is between two seconds")
        func rule(_ time: Int64?, isBetween: Bool) throws -> String {
            trust.time = try #require(time)
            #expect(!trust.isBetweenSeconds, "a new time is exact")
            trust.isBetweenSeconds = isBetween
            return policy.evaluate(trust, host: AlamofireFixtures.host).rule
        }
        #expect(try rule(leaf.notAfter, isBetween: false) == "accepted")
        #expect(try rule(leaf.notAfter, isBetween: true) == "expired")
        let result = policy.evaluate(trust, host: AlamofireFixtures.host)
        #expect(result.findings.first?.dates == .expired)
        #expect(try rule(leaf.notAfter.map { $0 - 1 }, isBetween: true) == "accepted")
        #expect(try rule(leaf.notBefore, isBetween: false) == "accepted")
        #expect(try rule(leaf.notBefore, isBetween: true) == "accepted")
        #expect(try rule(leaf.notBefore.map { $0 - 1 }, isBetween: true) == "not-yet-valid")
    }

    @Test func `the time is what the trust says`() throws {
        let fixtures = try AlamofireFixtures.shared.get()
        var trust = ServerTrust(sentChain: fixtures.chain(\.validDNSName), anchors: .only([fixtures.root]))
        let policy = ServerTrustPolicy.performDefaultEvaluation(validateHost: true)
        let notAfter = try #require(fixtures.validDNSName.notAfter)
        let notBefore = try #require(fixtures.validDNSName.notBefore)
        trust.time = notAfter - 1
        #expect(policy.evaluate(trust, host: AlamofireFixtures.host).isAccepted)
        trust.time = notAfter + 1
        #expect(
            policy.evaluate(trust, host: AlamofireFixtures.host).failure?.reason == .expired(notAfter: notAfter))
        trust.time = notBefore - 1
        #expect(
            policy.evaluate(trust, host: AlamofireFixtures.host).failure?.reason == .notYetValid(notBefore: notBefore))
    }
}

struct ServerTrustPolicyEvaluationTests: PinnedServerSuite {
    let server: PinnedServer

    init() throws { server = try PinnedServer() }

    @Test func `Alamofire's method answers what the result says`() {
        for policy in [right, wrong, .disableEvaluation, .performDefaultEvaluation(validateHost: true)] {
            for host in ["example.com", "example.org"] {
                #expect(policy.evaluate(trust, forHost: host) == policy.evaluate(trust, host: host).isAccepted)
            }
        }
        #expect(right.evaluate(trust, forHost: "example.com"))
        #expect(!right.evaluate(trust, forHost: "example.org"))
    }

    @Test func `without a host everything but the name is checked`() {
        #expect(right.evaluateChain(trust).isAccepted)
        #expect(!wrong.evaluateChain(trust).isAccepted)
        #expect(ServerTrustPolicy.pinSet(PinSet(pins: [leaf.publicKey])).evaluateChain(trust).isAccepted)
        var expired = trust
        expired.time = 32_503_680_000  // the year 3000
        #expect(right.evaluateChain(expired).rule == "expired")
    }
}
