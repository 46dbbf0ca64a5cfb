// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTLS
import TernTesting
import Testing

@testable import TernEngine

@Suite struct DatesTests {
    @Test func `a certificate that was read from Data has dates`() throws {
        let authority = try CertificateAuthority()
        let certificates = try X509Certificate.all(inPEM: Data(authority.certificatePEM.utf8))
        let certificate = try #require(certificates.first)
        #expect(try X509Certificate(der: Data(certificate.der)) == certificate)
        let (start, end) = (try #require(certificate.notBeforeDate), try #require(certificate.notAfterDate))
        #expect(start < Date.now && Date.now < end)
        #expect(end.timeIntervalSince1970 == certificate.notAfter.map(Double.init))
        #expect(X509Certificate.PublicKey(sha256: Data(certificate.publicKey.sha256)) == certificate.publicKey)
    }

    @Test func `an identity is read from Data`() throws {
        let identity = try CertificateAuthority().issue()
        let whole = try ClientIdentity(pem: Data((identity.chainPEM + identity.privateKeyPEM).utf8))
        let apart = try ClientIdentity(
            pem: Data(identity.chainPEM.utf8), privateKeyPEM: Data(identity.privateKeyPEM.utf8))
        #expect(whole == apart)
        #expect(throws: ClientIdentityError.self) { try ClientIdentity(pem: Data()) }
        #expect(throws: ClientIdentityError.self) { try ClientIdentity(pkcs12: Data([0x30])) }
    }

    @Test func `a set of pins expires at a date`() throws {
        var set = PinSet(pins: [
            try X509Certificate.PublicKey(pin: "sha256/" + Base64.encode(Array(repeating: 1, count: 32)))
        ])
        let date = Date(timeIntervalSince1970: 1_800_000_000.75)
        #expect(set.expiryDate == nil && !set.isExpired(at: .distantFuture))
        set.expiryDate = date
        #expect(set.expires == 1_800_000_000)
        #expect(set.isExpired(at: date) && !set.isExpired(at: date.addingTimeInterval(-2)))
        #expect(set.warnings(at: date).count == set.warnings(at: 1_800_000_000).count)
        for (date, seconds) in [
            (Date.distantPast, Int64(-62_135_769_600)), (Date(timeIntervalSince1970: .infinity), .max),
            (Date(timeIntervalSince1970: -.infinity), .min), (Date(timeIntervalSince1970: .nan), .max),
            (Date(timeIntervalSince1970: -0.5), -1),
        ] {
            set.expiryDate = date
            #expect(set.expires == seconds)
        }
    }

    @Test func `a policy is read from Data, and its problems are asked for at a date`() throws {
        let json = Data("{\"version\": 1, \"pinSets\": []}".utf8)
        let policy = try PolicyFile(json: json)
        #expect(policy.findings(at: Date.now).count == policy.findings(at: 0).count)
        #expect(policy.warnings(at: Date.now).isEmpty)
        #expect(throws: PolicyFileError.self) { try PolicyFile(json: Data()) }
    }
}
