// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// A client certificate with its private key, for servers that ask for one (mutual TLS).
///
/// Two are equal if their certificates and hosts are: the key is known to belong to the first certificate.
public struct ClientIdentity: Sendable {
    /// What is sent: the certificate of the key, then those that lead to its authority.
    public let certificates: [X509Certificate]
    let privateKey: PrivateKeyReference
    /// The servers that may see the certificate, proxies included; nil for all that ask, as in curl: also for one that
    /// a redirect leads to, which learns the client's identity from it. Other servers get the answer of a client
    /// without a certificate.
    public var hosts: [HostPattern]?

    /// Reads certificates and key from PEM.
    ///
    /// - Parameters:
    ///   - pem: the certificates in the order they are sent, the key's own first.
    ///   - privateKeyPEM: the key; nil if it is in `pem` too.
    ///   - passphrase: what the key is encrypted with; not used on a key that is not encrypted.
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

    /// Reads a PKCS#12 file (`.p12`, `.pfx`; RFC 7292). The passphrase is empty for a file that was made without one.
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

    /// Whether the server called `host` may see the certificate.
    func isIntended(for host: String) -> Bool { hosts?.contains { $0.matches(host) } ?? true }
}

extension ClientIdentity: CustomStringConvertible {
    /// The subject of the certificate; nothing of the key.
    public var description: String { certificates.first?.description ?? "" }
}
