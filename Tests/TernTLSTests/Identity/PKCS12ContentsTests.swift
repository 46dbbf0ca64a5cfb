// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

@testable import TernTLS

struct PKCS12ContentsTests {
    private let files: IdentityFiles
    private let chain: [X509Certificate]

    init() throws {
        let issued = try CertificateAuthority().issueIntermediate().issueIntermediate().issue()
        files = IdentityFiles(issued)
        chain = try X509Certificate.all(inPEM: issued.chainPEM)
    }

    private func reason(_ body: () throws -> ClientIdentity) throws -> ClientIdentityError.Reason {
        try #require(throws: ClientIdentityError.self) { try body() }.reason
    }

    @Test func `the certificates are sorted into a chain, whatever their order in the file`() throws {
        // `IdentityFiles` writes the issuers in reverse.
        let contents = try PKCS12Contents(der: files.pkcs12("secret"), passphrase: "secret")
        #expect(contents.certificates == chain)
        #expect(contents.certificates.count == 3)
    }

    @Test(arguments: ["secret", "", "pässwörd"])
    func `a PKCS#12 file opens with its passphrase only`(passphrase: String) throws {
        let file = files.pkcs12(passphrase)
        #expect(try ClientIdentity(pkcs12: file, passphrase: passphrase).certificates == chain)
        #expect(try reason { try ClientIdentity(pkcs12: file, passphrase: "wrong") } == .wrongPassphrase)
        #expect(try reason { try ClientIdentity(pkcs12: file, passphrase: passphrase + "\0x") } == .wrongPassphrase)
    }

    @Test func `a PKCS#12 file without a passphrase is opened with an empty one`() throws {
        #expect(try ClientIdentity(pkcs12: files.pkcs12(nil)).certificates == chain)
    }
}
