// SPDX-License-Identifier: Apache-2.0
import TernTLS
import TernTesting
import TestProofs
import Testing

/// CVE-2016-2402: an attacker with a certificate from any trusted authority appends the pinned certificates to what the
/// server sends. None of that may help.
struct PinBypassTests {
    let good, evil: CertificateAuthority
    let goodCA, evilCA: CertificateAuthority
    let goodLeaf, evilLeaf: Identity

    init() throws {
        good = try CertificateAuthority(commonName: "Good Root")
        evil = try CertificateAuthority(commonName: "Evil Root")
        goodCA = try good.issueIntermediate(AuthorityRequest(commonName: "Good CA"))
        evilCA = try evil.issueIntermediate(AuthorityRequest(commonName: "Evil CA"))
        goodLeaf = try goodCA.issue()
        evilLeaf = try evilCA.issue()
    }

    /// Every pin the attacker would like to satisfy.
    private var pins: [X509Certificate.PublicKey] {
        get throws { try [goodLeaf.pin, goodCA.pin, good.pin].map { try X509Certificate.PublicKey(pin: $0) } }
    }

    private var attack: Identity {
        evilLeaf.sending(
            chainPEM: evilLeaf.chainPEM + evil.certificatePEM + goodLeaf.chainPEM + good.certificatePEM)
    }

    private var anchors: [X509Certificate] {
        get throws { try [good.certificate(), evil.certificate()] }
    }

    @Test(.proves("13.9b", "13.14a"), arguments: [true, false])
    func `appended certificates never satisfy a key pin`(validateChain: Bool) throws {
        let trust = try ServerTrust(attack, anchors: anchors)
        #expect(
            ServerTrustPolicy.performDefaultEvaluation(validateHost: true).evaluate(trust, host: "localhost")
                .isAccepted,
            "the attack is only worth the name if the chain itself is good")
        for pin in try pins {
            let result = ServerTrustPolicy.pinPublicKeys(
                publicKeys: [pin], validateCertificateChain: validateChain, validateHost: true
            ).evaluate(trust, host: "localhost")
            #expect(result.failure?.reason == .keyNotPinned(pins: [pin]))
        }
    }

    @Test(.proves("13.7b"), arguments: [true, false])
    func `appended certificates never satisfy a certificate pin`(validateChain: Bool) throws {
        let trust = try ServerTrust(attack, anchors: anchors)
        for pinned in try [goodLeaf.certificate(), goodCA.certificate(), good.certificate()] {
            let policy = ServerTrustPolicy.pinCertificates(
                certificates: [pinned], validateCertificateChain: validateChain, validateHost: true)
            #expect(!policy.evaluate(trust, host: "localhost").isAccepted)
        }
    }

    @Test(arguments: TLSSessionTests.versions)
    func `in a handshake the attacker gets an alert and not one byte of application data`(version: TLSProtocolVersion)
        throws
    {
        for pin in try pins {
            let dialogue = try Dialogue(
                identity: attack, anchors: [good, evil],
                policy: .pinPublicKeys(publicKeys: [pin], validateCertificateChain: true, validateHost: true)
            ) {
                $0.minimumVersion = version
                $0.maximumVersion = version
            }
            do {
                _ = try dialogue.handshake()
                Issue.record("the attacker was accepted")
            } catch let error as TLSError {
                guard case .trust(let failure) = error.reason else { throw error }
                #expect(failure.reason == .keyNotPinned(pins: [pin]))
                #expect(failure.seen.map(\.publicKey.pin) == [evilLeaf.pin, evilCA.pin, evil.pin])
            }
            #expect(throws: TLSError.self) { try dialogue.seal(Array("GET / HTTP/1.1\r\n\r\n".utf8)) }
            dialogue.server.receive(dialogue.takeOutgoing())
            #expect { try dialogue.server.handshake() } throws: { error in
                (error as? ServerEngine.Failure)?.errors.contains("alert") == true
            }
        }
    }

    @Test func `a self-signed leaf that names the pinned authority as its issuer is no child of it`() throws {
        let forged = try CertificateAuthority(commonName: "Good CA").issue()
        let sent = forged.sending(chainPEM: forged.certificatePEM + goodCA.certificatePEM)
        let trust = try ServerTrust(sent, anchors: anchors)
        let policy = ServerTrustPolicy.pinPublicKeys(
            publicKeys: [try X509Certificate.PublicKey(pin: goodCA.pin)], validateCertificateChain: false,
            validateHost: false)
        let result = policy.evaluate(trust, host: "localhost")
        #expect(!result.isAccepted)
        #expect(result.verifiedChain.count == 1)
    }

    @Test func `a leaf may not act as an authority, even where the chain is not validated`() throws {
        // Signed by the good CA for another customer, and now signing on its own.
        let customer = try goodCA.issueIntermediate(
            AuthorityRequest(
                commonName: "customer.test", extensions: [CertificateExtension("basicConstraints", "critical,CA:FALSE")]
            ))
        let trust = try ServerTrust(customer.issue(), anchors: anchors)
        for pin in try pins {
            for chain in [true, false] {
                let policy = ServerTrustPolicy.pinPublicKeys(
                    publicKeys: [pin], validateCertificateChain: chain, validateHost: false)
                #expect(!policy.evaluate(trust, host: "localhost").isAccepted)
            }
        }
    }
}
