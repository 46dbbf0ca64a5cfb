// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// A client certificate with its private key, for servers that request one (mutual TLS).
///
/// Two identities are equal if their certificates and hosts are: the key always matches the first certificate.
public struct ClientIdentity: Sendable {
    /// The certificates to send: the key's own, then those that lead to its authority.
    public let certificates: [X509Certificate]
    let privateKey: PrivateKeyReference
    /// The servers, proxies included, that may receive the certificate; nil for every server that requests one, as with
    /// curl. That includes the target of a redirect, which learns the client's identity. Other servers receive the
    /// reply of a client without a certificate.
    public var hosts: [HostPattern]?

    /// Reads certificates and key from PEM.
    ///
    /// - Parameters:
    ///   - pem: the certificates in the order they are sent, the key's own first.
    ///   - privateKeyPEM: the key; nil if `pem` contains it.
    ///   - passphrase: decrypts the key; ignored for a key that is not encrypted.
    public init(
        pem: [UInt8], privateKeyPEM: [UInt8]? = nil, passphrase: String? = nil
    ) throws(ClientIdentityError) {
        let certificates: [X509Certificate]
        do throws(CertificateError) {
            certificates = try X509Certificate.all(inPEM: pem)
        } catch {
            throw ClientIdentityError(.certificate(error))
        }
        try self.init(certificates, try PrivateKeyReference(pem: privateKeyPEM ?? pem, passphrase: passphrase))
    }

    /// Reads a PKCS#12 file (`.p12`, `.pfx`; RFC 7292). The passphrase is empty for a file created without one.
    public init(pkcs12: [UInt8], passphrase: String = "") throws(ClientIdentityError) {
        let contents = try PKCS12Contents(der: pkcs12, passphrase: passphrase)
        try self.init(contents.certificates, contents.privateKey)
    }

    private init(_ certificates: [X509Certificate], _ privateKey: PrivateKeyReference) throws(ClientIdentityError) {
        guard let leaf = certificates.first,
            unsafe X509_check_private_key(leaf.x509.pointer, privateKey.pointer) == 1
        else { throw .withQueue(.keyMismatch) }
        self.certificates = certificates
        self.privateKey = privateKey
    }
}

extension ClientIdentity: Hashable {
    public static func == (left: ClientIdentity, right: ClientIdentity) -> Bool {
        left.certificates == right.certificates && left.hosts == right.hosts
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(certificates) }

    /// Whether the server called `host` may receive the certificate.
    func isIntended(for host: String) -> Bool { hosts?.contains { $0.matches(host) } ?? true }
}

extension ClientIdentity: CustomStringConvertible {
    /// The subject of the certificate; nothing of the key.
    public var description: String { certificates.first?.description ?? "" }
}
