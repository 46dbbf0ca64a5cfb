// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// The contents of a PKCS#12 file that make an identity.
struct PKCS12Contents {
    /// The key's own certificate first, then its issuers that the file contains.
    let certificates: [X509Certificate]
    let privateKey: PrivateKeyReference

    init(der: [UInt8], passphrase: String) throws(ClientIdentityError) {
        OpenSSLError.clear()
        let file = unsafe der.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var cursor = buffer.baseAddress
            return unsafe d2i_PKCS12(nil, &cursor, buffer.count)
        }
        guard let file = unsafe file else { throw .withQueue(.invalidPKCS12) }
        defer { unsafe PKCS12_free(file) }
        // A C string ends at a zero byte, which would silently truncate a passphrase that contains one.
        guard !passphrase.utf8.contains(0), unsafe Self.opens(file, passphrase) else {
            throw .withQueue(.wrongPassphrase)
        }
        var key: OpaquePointer?
        var leaf: OpaquePointer?
        var others: OpaquePointer?
        guard unsafe PKCS12_parse(file, passphrase, &key, &leaf, &others) == 1 else {
            throw .withQueue(.invalidPKCS12)
        }
        defer { if let others = unsafe others { unsafe tern_X509_stack_release(others) } }
        let certificate = unsafe leaf.map { X509Certificate(unsafe X509Reference(owning: $0)) }
        guard let key = unsafe key else { throw ClientIdentityError(.noPrivateKey) }
        privateKey = unsafe PrivateKeyReference(owning: key)
        guard let certificate else { throw ClientIdentityError(.certificate(CertificateError(.noCertificate))) }
        certificates = Self.chain(from: certificate, among: unsafe X509Certificate.copies(of: others))
        OpenSSLError.clear()
    }

    /// A file without a MAC is not authenticated; only decryption with its passphrase checks it.
    @unsafe private static func opens(_ file: OpaquePointer, _ passphrase: String) -> Bool {
        guard unsafe PKCS12_mac_present(file) == 1 else { return true }
        if unsafe PKCS12_verify_mac(file, passphrase, -1) == 1 { return true }
        // The standard has two encodings of an empty passphrase.
        return unsafe passphrase.isEmpty && PKCS12_verify_mac(file, nil, 0) == 1
    }

    /// The file stores certificates in any order; a server reads them in one.
    private static func chain(from leaf: X509Certificate, among others: [X509Certificate]) -> [X509Certificate] {
        var chain = [leaf]
        while let last = chain.last, let issuer = others.first(where: { !chain.contains($0) && $0.mayHaveIssued(last) })
        {
            chain.append(issuer)
        }
        return chain
    }
}
