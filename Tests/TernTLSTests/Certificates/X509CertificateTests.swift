// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import Foundation
import TernTesting
import TestProofs
import Testing

@testable import TernTLS

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

struct PublicKeyTests {
    /// SHA-256 of nothing.
    private let empty = "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    @Test func `a pin reads and writes the same text`() throws {
        let key = try X509Certificate.PublicKey(pin: empty)
        #expect(key.sha256.count == 32)
        #expect(key.pin == empty)
        #expect(key == X509Certificate.PublicKey(subjectPublicKeyInfo: []))
        #expect("\(key)" == empty)
    }

    @Test func `another key is another pin`() {
        #expect(
            X509Certificate.PublicKey(subjectPublicKeyInfo: [1]) != X509Certificate.PublicKey(subjectPublicKeyInfo: [2])
        )
    }

    @Test(arguments: [
        ("", PinError.unknownAlgorithm("")),
        (
            "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
            .unknownAlgorithm("47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
        ),
        ("sha1/2jmj7l5rSw0yVb/vlWAYkK/YBwk=", .unknownAlgorithm("sha1/2jmj7l5rSw0yVb/vlWAYkK/YBwk=")),
        ("SHA256/AAAA", .unknownAlgorithm("SHA256/AAAA")),
        ("sha256/", .wrongLength(0)),
        ("sha256/AAAA", .wrongLength(3)),
        (
            "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU",
            .invalidBase64("47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU")
        ),
        // Bits after the last byte: a second encoding of the same hash.
        (
            "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFV=",
            .invalidBase64("47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFV=")
        ),
        (
            "sha256/47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU=",
            .invalidBase64("47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU=")
        ),
        (
            "sha256/ 47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
            .invalidBase64(" 47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
        ),
        ("sha256/=AAA", .invalidBase64("=AAA")),
        ("sha256/====", .invalidBase64("====")),
        ("sha256/AA=A", .invalidBase64("AA=A")),
    ])
    func `what is no pin is refused with the reason`(text: String, error: PinError) {
        #expect(throws: error) { try X509Certificate.PublicKey(pin: text) }
    }

    @Test func `a public key is read from PEM and from DER, and from nothing else`() throws {
        let certificate = try CertificateAuthority().certificate()
        let der = unsafe Self.subjectPublicKeyInfo(of: certificate)
        let pem = "text\n-----BEGIN PUBLIC KEY-----\n\(Base64.encode(der))\n-----END PUBLIC KEY-----\n"
        #expect(try X509Certificate.PublicKey(publicKeyFile: der) == certificate.publicKey)
        #expect(try X509Certificate.PublicKey(publicKeyFile: Array(pem.utf8)) == certificate.publicKey)
        for bytes in [[], Array(certificate.pem.utf8), der + [0], Array(der.dropLast()), [0x30, 0]] {
            #expect(throws: PinError.notKey) { try X509Certificate.PublicKey(keyFile: bytes) }
            #expect(throws: PinError.notPublicKey) { try X509Certificate.PublicKey(publicKeyFile: bytes) }
        }
    }

    @Test(.proves("14.9a")) func `a public RSA key is read as PKCS #1 has it, too`() throws {
        let certificate = try CertificateAuthority(key: .rsa(bits: 2048)).certificate()
        var info = try #require(DERElements(sequence: unsafe Self.subjectPublicKeyInfo(of: certificate)))
        _ = info.next()
        // The bit string begins with the number of bits that it leaves out.
        let bits = info.next()
        let key = try Array(#require(bits).content.dropFirst())
        let text = Base64.encode(key)
        let pem = { (kind: String) in Array("-----BEGIN \(kind)-----\n\(text)\n-----END \(kind)-----\n".utf8) }
        for bytes in [key, pem("RSA PUBLIC KEY")] {
            #expect(try X509Certificate.PublicKey(publicKeyFile: bytes) == certificate.publicKey)
            #expect(try X509Certificate.PublicKey(keyFile: bytes) == certificate.publicKey)
        }
        for bytes in [key + [0], Array(key.dropLast()), pem("PUBLIC KEY"), pem("EC PUBLIC KEY")] {
            #expect(throws: PinError.notPublicKey) { try X509Certificate.PublicKey(publicKeyFile: bytes) }
        }
    }

    @unsafe private static func subjectPublicKeyInfo(of certificate: X509Certificate) -> [UInt8] {
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = unsafe i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate.x509.pointer), &bytes)
        defer { unsafe CRYPTO_free(bytes, nil, 0) }
        return unsafe Array(UnsafeBufferPointer(start: bytes, count: Int(max(0, count))))
    }

    @Test func `the form of curl, with two slashes, is the same key`() throws {
        let key = try X509Certificate.PublicKey(pin: empty)
        #expect(try X509Certificate.PublicKey(pin: "sha256//" + empty.dropFirst(7)) == key)
        // A key whose base64 begins with a slash.
        let slashed = "sha256//" + String(repeating: "A", count: 42) + "="
        let twice = "sha256///" + String(repeating: "A", count: 42) + "="
        #expect(try X509Certificate.PublicKey(pin: slashed) == X509Certificate.PublicKey(pin: twice))
        #expect(try X509Certificate.PublicKey(pin: slashed).pin == slashed)
        #expect(throws: PinError.wrongLength(3)) { try X509Certificate.PublicKey(pin: "sha256//AAAA") }
    }
}

struct X509CertificateKeyTests {
    private func certificate(_ key: KeyKind) throws -> X509Certificate {
        try CertificateAuthority(AuthorityRequest(commonName: "Key", key: key)).certificate()
    }

    @Test func `the kind of a key is recognised, with its numbers`() throws {
        #expect(try certificate(.rsa(bits: 2048)).keyAlgorithm == .rsa(bits: 2048, exponent: 3))
        #expect(try certificate(.p256).keyAlgorithm == .ellipticCurve(NID_X9_62_prime256v1))
        #expect(try certificate(.p384).keyAlgorithm == .ellipticCurve(NID_secp384r1))
        #expect(try certificate(.ed25519).keyAlgorithm == .other(NID_ED25519))
    }

    @Test(arguments: [
        (KeyKind.p256, true, true), (.curve("secp224r1"), false, false), (.curve("brainpoolP256r1"), true, true),
        (.existing(privateKeyPEM: OddKeys.dsa), false, false),
        (.existing(privateKeyPEM: OddKeys.explicitCurve), false, false),
        (.existing(privateKeyPEM: OddKeys.longExponent), false, true),
        (.existing(privateKeyPEM: OddKeys.rsa8208), false, true),
        (.existing(privateKeyPEM: OddKeys.exponentOne), false, false),
        (.existing(privateKeyPEM: OddKeys.evenExponent), false, false),
    ])
    func `keys are allowed by their kind, and by their cost`(key: KeyKind, isSupported: Bool, isOfAllowedKind: Bool)
        throws
    {
        let certificate = try certificate(key)
        #expect(certificate.hasSupportedKey == isSupported)
        #expect(certificate.hasSupportedAlgorithm == isOfAllowedKind)
    }

    @Test func `a larger key costs no less to verify with`() throws {
        let costs = try [KeyKind.rsa(bits: 2048), .p256, .p384, .existing(privateKeyPEM: OddKeys.rsa8208)]
            .map { try certificate($0).verificationCost }
        #expect(costs == costs.sorted())
    }
}

struct X509CertificatePEMTests {
    @Test func `a certificate is read again from its own text`() throws {
        let authority = try CertificateAuthority()
        let certificate = try authority.certificate()
        #expect(try X509Certificate(pem: certificate.pem) == certificate)
        #expect(certificate.pem == authority.certificatePEM)
    }
}

struct CertificateErrorTests {
    @Test func `blocks are counted from one in the description, and from zero in the reason`() throws {
        let text = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        let error = try #require(throws: CertificateError.self) { try X509Certificate.all(inPEM: text) }
        #expect(error.reason == .invalidPEM(block: 0))
        #expect(error.description.hasPrefix("PEM certificate 1 is broken"))
    }

    @Test func `OpenSSL's entries belong to the error, and leave the queue`() throws {
        let error = try #require(throws: CertificateError.self) { try X509Certificate(der: [0x30, 0x01]) }
        #expect(error.reason == .invalidDER)
        #expect(!error.openSSL.isEmpty)
        #expect(error.description.hasPrefix("not a DER certificate ["))
        #expect(OpenSSLError.drain().isEmpty)
    }
}
