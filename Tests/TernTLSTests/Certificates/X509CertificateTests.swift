// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTLS
import TernTesting
import Testing

struct X509CertificateTests {
    private let root: CertificateAuthority
    private let leaf: Identity

    init() throws {
        root = try CertificateAuthority()
        leaf = try root.issueIntermediate().issue(
            LeafRequest(
                dnsNames: ["a.test", "*.b.test"], ipAddresses: ["10.0.0.1", "2001:db8::1"], uris: ["https://a.test/"],
                validity: Validity(notBefore: 1_500_000_000, notAfter: 4_102_444_799)))
    }

    @Test func `a certificate has its names, its dates and its key`() throws {
        let certificate = try leaf.certificate()
        #expect(certificate.subject == "CN=Tern Test Leaf")
        #expect(certificate.issuer == "CN=Tern Test Intermediate CA")
        #expect(
            certificate.subjectAlternativeNames == [
                .dns("a.test"), .dns("*.b.test"), .ip([10, 0, 0, 1]),
                .ip([0x20, 0x01, 0x0d, 0xb8] + [UInt8](repeating: 0, count: 11) + [1]), .uri("https://a.test/"),
            ])
        #expect(
            certificate.subjectAlternativeNames.map(\.description) == [
                "DNS:a.test", "DNS:*.b.test", "IP:10.0.0.1", "IP:2001:db8:0:0:0:0:0:1", "URI:https://a.test/",
            ])
        #expect(certificate.notBefore == 1_500_000_000)
        #expect(certificate.notAfter == 4_102_444_799)
        #expect(certificate.publicKey.pin == leaf.pin)
    }

    /// `TernTesting` computes its pins with code of its own, which is held to the openssl command.
    @Test(arguments: [KeyKind.rsa(bits: 2048), .rsa(bits: 3072), .p256, .p384, .p521, .ed25519])
    func `the pin does not depend on the kind of key`(kind: KeyKind) throws {
        let leaf = try root.issue(LeafRequest(key: kind))
        #expect(try leaf.certificate().publicKey.pin == leaf.pin)
    }

    @Test func `equality is equality of bytes`() throws {
        let one = try leaf.certificate()
        let same = try X509Certificate(der: one.der)
        #expect(one == same)
        #expect(Set([one, same]).count == 1)
        #expect(one != (try root.certificate()))
    }

    @Test func `PEM may hold several certificates, and other things between them`() throws {
        let text = "bundle of mine\n" + leaf.chainPEM + leaf.privateKeyPEM + "# comment\n" + root.certificatePEM
        let all = try X509Certificate.all(inPEM: text)
        #expect(all.map(\.subject) == ["CN=Tern Test Leaf", "CN=Tern Test Intermediate CA", "CN=Tern Test Root CA"])
        #expect(try X509Certificate(pem: text) == all[0])
        #expect(try X509Certificate.all(inPEM: text.replacing("\n", with: "\r\n")).count == 3)
    }

    @Test(arguments: ["", "no certificate here", "-----BEGIN CERTIFICATE-----", "\0\0\0"])
    func `PEM without a certificate says so`(text: String) {
        #expect { try X509Certificate.all(inPEM: text) } throws: { error in
            guard let reason = (error as? CertificateError)?.reason else { return false }
            return reason == .noCertificate || reason == .invalidPEM(block: 0)
        }
    }

    @Test func `nothing stands behind a certificate in its block`() throws {
        let der = try leaf.certificate().der
        for (bytes, isGood) in [(der, true), (der + [0], false), (der + der, false)] {
            let text = Data(bytes).base64EncodedString(options: .lineLength64Characters)
            let pem = "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n"
            #expect((try? X509Certificate.all(inPEM: pem)) == (isGood ? [try leaf.certificate()] : nil))
        }
    }

    @Test func `a broken block behind good ones is an error that counts it`() throws {
        let broken = leaf.chainPEM + "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        #expect { try X509Certificate.all(inPEM: broken) } throws: { error in
            (error as? CertificateError)?.reason == .invalidPEM(block: 2)
        }
        let cut = leaf.chainPEM + root.certificatePEM.dropLast(60)
        #expect { try X509Certificate.all(inPEM: cut) } throws: { error in
            (error as? CertificateError)?.reason == .invalidPEM(block: 2)
        }
    }

    /// RFC 1421 headers would make OpenSSL ask for a passphrase at the terminal.
    @Test func `an encrypted block is broken, and no passphrase is asked for`() throws {
        let header =
            "-----BEGIN CERTIFICATE-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00112233445566778899AABBCCDDEEFF\n\n"
        let encrypted = root.certificatePEM.replacing("-----BEGIN CERTIFICATE-----\n", with: header)
        #expect { try X509Certificate.all(inPEM: encrypted) } throws: { error in
            (error as? CertificateError)?.reason == .invalidPEM(block: 0)
        }
    }

    @Test func `DER is one whole certificate and nothing else`() throws {
        let der = try leaf.certificate().der
        for length in 0..<der.count {
            #expect(throws: CertificateError.self) { try X509Certificate(der: Array(der.prefix(length))) }
        }
        #expect(throws: CertificateError.self) { try X509Certificate(der: der + [0]) }
        #expect(throws: CertificateError.self) { try X509Certificate(der: Array(leaf.certificatePEM.utf8)) }
    }

    /// Every byte inverted one after the other: the result is an error, or a certificate whose every property can be
    /// read and which is not trusted.
    @Test func `a flipped byte does no harm`() throws {
        let der = try leaf.certificate().der
        let anchors = TrustAnchors.only([try root.certificate()])
        let rest = try X509Certificate.all(inPEM: leaf.chainPEM).dropFirst()
        for index in der.indices {
            var flipped = der
            flipped[index] ^= 0xff
            guard let certificate = try? X509Certificate(der: flipped) else { continue }
            _ = (
                certificate.description, certificate.issuer, certificate.subjectAlternativeNames, certificate.publicKey
            )
            _ = (certificate.notBefore, certificate.notAfter)
            let trust = ServerTrust(sentChain: [certificate] + rest, anchors: anchors)
            for policy: ServerTrustPolicy in [
                .performDefaultEvaluation(validateHost: false),
                .pinPublicKeys(
                    publicKeys: [try X509Certificate.PublicKey(pin: root.pin)], validateCertificateChain: false,
                    validateHost: false),
            ] {
                #expect(!policy.evaluate(trust, host: "a.test").isAccepted, "byte \(index)")
            }
        }
    }
}
