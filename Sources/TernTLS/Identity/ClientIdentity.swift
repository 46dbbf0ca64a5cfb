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
        pem: some Sequence<UInt8>, privateKeyPEM: (some Sequence<UInt8>)? = [UInt8]?.none, passphrase: String? = nil
    ) throws(ClientIdentityError) {
        let pem = Array(pem)
        let certificates: [X509Certificate]
        do throws(CertificateError) {
            certificates = try X509Certificate.all(inPEM: pem)
        } catch {
            throw ClientIdentityError(.certificate(error))
        }
        try self.init(
            certificates, try PrivateKeyReference(pem: privateKeyPEM.map { Array($0) } ?? pem, passphrase: passphrase))
    }

    /// The encoding of a private key.
    public enum KeyEncoding: Sendable, Hashable, CaseIterable {
        /// Text with a `PRIVATE KEY` block; the first of several counts.
        case pem
        /// The bytes of PKCS#8, encrypted or not, or of the key's own algorithm.
        case der
    }

    /// Takes certificates that have been read, and reads the key.
    ///
    /// - Parameters:
    ///   - certificates: in the order they are sent, the key's own first.
    ///   - privateKey: the key's bytes.
    ///   - encoding: how they are encoded.
    ///   - passphrase: decrypts the key; ignored for a key that is not encrypted.
    public init(
        certificates: [X509Certificate], privateKey: some Sequence<UInt8>, encoding: KeyEncoding,
        passphrase: String? = nil
    ) throws(ClientIdentityError) {
        let privateKey = Array(privateKey)
        guard !certificates.isEmpty else { throw ClientIdentityError(.certificate(CertificateError(.noCertificate))) }
        let key =
            switch encoding {
            case .pem: try PrivateKeyReference(pem: privateKey, passphrase: passphrase)
            case .der: try PrivateKeyReference(der: privateKey, passphrase: passphrase)
            }
        try self.init(certificates, key)
    }

    /// Reads a PKCS#12 file (`.p12`, `.pfx`; RFC 7292). The passphrase is empty for a file created without one.
    ///
    /// The file says how many rounds its keys take, and OpenSSL does them all: one of a stranger may cost minutes.
    public init(pkcs12: some Sequence<UInt8>, passphrase: String = "") throws(ClientIdentityError) {
        let pkcs12 = Array(pkcs12)
        let contents = try PKCS12Contents(der: pkcs12, passphrase: passphrase)
        try self.init(contents.certificates, contents.privateKey)
    }

    /// Takes certificates whose key is elsewhere: in a key management service, a token or another process.
    ///
    /// The closure is asked in each handshake with a server that requests the certificate, once the server is trusted:
    /// on a thread of its own, which it may block. Other connections do not wait for it; this one does, for as long as
    /// its limits allow, and its end cancels the closure's task. What the closure returns is verified before it is
    /// sent.
    ///
    /// - Parameters:
    ///   - certificates: in the order they are sent, the key's own first: RSA or on a curve. Ed25519 is not supported
    ///     here.
    ///   - signature: signs with the certificate's key.
    /// - Throws: `unsupportedKey` for a certificate with another key, and where OpenSSL has no engines.
    public init(
        certificates: [X509Certificate], signature: @escaping @Sendable (SigningRequest) async throws -> [UInt8]
    ) throws(ClientIdentityError) {
        guard let leaf = certificates.first else {
            throw ClientIdentityError(.certificate(CertificateError(.noCertificate)))
        }
        OpenSSLError.clear()
        guard let key = unsafe KeySigner(leaf, signature).makeKey() else { throw .withQueue(.unsupportedKey) }
        try self.init(certificates, unsafe PrivateKeyReference(owning: key, isElsewhere: true))
    }

    /// Takes certificates whose key OpenSSL finds by a URI (OSSL_STORE_open(3)): `file:`, and what providers of its
    /// configuration know, such as `pkcs11:` (RFC 7512) and `handle:` of a TPM. For `pkcs11:` without a provider, the
    /// engine `pkcs11` is asked. The key stays where it is; it signs on a thread that may block. Blocks while the key
    /// is found.
    ///
    /// - Parameters:
    ///   - certificates: in the order they are sent, the key's own first.
    ///   - keyURI: the URI. One that contains a PIN may be logged by what reads it: rather give a passphrase.
    ///   - passphrase: the PIN or passphrase that the store asks for. Nothing is asked for on the terminal.
    public init(
        certificates: [X509Certificate], keyURI: String, passphrase: String? = nil
    ) throws(ClientIdentityError) {
        guard !certificates.isEmpty else { throw ClientIdentityError(.certificate(CertificateError(.noCertificate))) }
        try self.init(certificates, try PrivateKeyReference(uri: keyURI, passphrase: passphrase))
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
    package func isIntended(for host: String) -> Bool { hosts?.contains { $0.matches(host) } ?? true }
}

extension ClientIdentity: CustomStringConvertible {
    /// The subject of the certificate; nothing of the key.
    public var description: String { certificates.first?.description ?? "" }
}

/// Why bytes are not a client identity.
public struct ClientIdentityError: Error, Sendable, Hashable {
    /// What is missing, unreadable or inconsistent.
    public enum Reason: Sendable, Hashable {
        /// The certificates cannot be read.
        case certificate(CertificateError)
        /// There is no readable private key.
        case noPrivateKey
        /// The private key is encrypted, and no passphrase was given.
        case passphraseNeeded
        /// The passphrase does not decrypt the private key or the PKCS#12 file.
        case wrongPassphrase
        /// The private key does not belong to the first certificate.
        case keyMismatch
        /// The bytes are not a PKCS#12 file, or are encrypted with an algorithm that this OpenSSL has retired.
        case invalidPKCS12
        /// More bytes than OpenSSL can handle.
        case tooLarge
        /// A certificate with a key of this kind cannot be used with a closure that signs.
        case unsupportedKey
        /// The private key is not one of the algorithm that it is to sign with (``MessageSigningKey``).
        case otherAlgorithm
        /// There is no store for the URI of a key, or no key in it.
        case noStoredKey
    }

    /// The kind of error.
    public let reason: Reason
    /// OpenSSL's error queue, oldest first.
    public let openSSL: [OpenSSLError]

    init(_ reason: Reason, openSSL: [OpenSSLError] = []) {
        self.reason = reason
        self.openSSL = openSSL
    }

    /// Empties this thread's OpenSSL error queue into the error.
    static func withQueue(_ reason: Reason) -> ClientIdentityError {
        ClientIdentityError(reason, openSSL: OpenSSLError.drain())
    }
}

extension ClientIdentityError: CustomStringConvertible {
    public var description: String {
        let text =
            switch reason {
            case .certificate(let error): error.description
            case .noPrivateKey: "no private key found, or a broken one"
            case .passphraseNeeded: "the private key is encrypted and needs a passphrase"
            case .wrongPassphrase: "the passphrase is wrong"
            case .keyMismatch: "the private key does not belong to the certificate"
            case .invalidPKCS12: "not a PKCS#12 file, or one of an unsupported kind"
            case .tooLarge: "too many bytes for an identity"
            case .unsupportedKey: "a key of this kind cannot be elsewhere"
            case .otherAlgorithm: "the private key is not one of the algorithm that it is to sign with"
            case .noStoredKey: "no private key is found by that URI"
            }
        return openSSL.appended(to: text)
    }
}

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

/// A reference-counted `EVP_PKEY` with a private key.
///
/// Safety: the pointer is owned, never nil, freed once in `deinit` and only read; OpenSSL erases the key when it frees
/// it.
@safe final class PrivateKeyReference: @unchecked Sendable {
    let pointer: OpaquePointer
    /// Whether a signature may take long, because it is made elsewhere.
    let isElsewhere: Bool

    /// Takes ownership of the caller's reference.
    @unsafe init(owning pointer: OpaquePointer, isElsewhere: Bool = false) {
        unsafe self.pointer = pointer
        self.isElsewhere = isElsewhere
    }

    deinit { unsafe EVP_PKEY_free(pointer) }

    /// OpenSSL's name for the curve of a key, such as `prime256v1` for P-256; nil for a key on no named curve.
    @unsafe static func curve(of key: OpaquePointer) -> String? {
        var name = [CChar](repeating: 0, count: 64)
        var length = 0
        guard unsafe EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1 else { return nil }
        return String(decoding: name.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Finds a key by its URI.
    convenience init(uri: String, passphrase: String?) throws(ClientIdentityError) {
        OpenSSLError.clear()
        let answer = PassphraseAnswer(passphrase)
        guard !uri.utf8.contains(0), let method = unsafe UI_UTIL_wrap_read_pem_callback(givePassphrase, 0) else {
            throw .withQueue(.noStoredKey)
        }
        defer { unsafe UI_destroy_method(method) }
        let context = unsafe Unmanaged.passUnretained(answer).toOpaque()
        var key = unsafe Self.loaded(uri, method, context)
        // OpenSSL's errors repeat the URI, and with it perhaps a PIN.
        OpenSSLError.clear()
        if unsafe key == nil, uri.lowercased().hasPrefix("pkcs11:") {
            unsafe key = tern_load_engine_key("pkcs11", uri, method, context)
        }
        guard let key = unsafe key else {
            let explanation = answer.explanation
            throw .withQueue(explanation == .noPrivateKey ? .noStoredKey : explanation)
        }
        OpenSSLError.clear()
        unsafe self.init(owning: key, isElsewhere: true)
    }

    /// The first private key of a store; nil if it has none.
    @unsafe private static func loaded(
        _ uri: String, _ method: OpaquePointer, _ context: UnsafeMutableRawPointer
    ) -> OpaquePointer? {
        guard let store = unsafe OSSL_STORE_open(uri, method, context, nil, nil) else { return nil }
        defer { unsafe OSSL_STORE_close(store) }
        unsafe OSSL_STORE_expect(store, OSSL_STORE_INFO_PKEY)
        while unsafe OSSL_STORE_eof(store) == 0, unsafe OSSL_STORE_error(store) == 0 {
            guard let found = unsafe OSSL_STORE_load(store) else { continue }
            defer { unsafe OSSL_STORE_INFO_free(found) }
            if let key = unsafe OSSL_STORE_INFO_get1_PKEY(found) { return unsafe key }
        }
        return nil
    }

    /// Reads the first private key of a PEM text, skipping everything else.
    convenience init(pem: [UInt8], passphrase: String?) throws(ClientIdentityError) {
        unsafe try self.init(pem, passphrase) { bio, answer in
            unsafe PEM_read_bio_PrivateKey(bio, nil, givePassphrase, answer)
        }
    }

    /// Reads a DER private key.
    convenience init(der: [UInt8], passphrase: String?) throws(ClientIdentityError) {
        unsafe try self.init(der, passphrase) { bio, answer in
            if let key = unsafe d2i_PrivateKey_bio(bio, nil) { return unsafe key }
            OpenSSLError.clear()
            guard unsafe tern_BIO_reset(bio) == 1 else { return nil }
            return unsafe d2i_PKCS8PrivateKey_bio(bio, nil, givePassphrase, answer)
        }
    }

    /// - Parameter read: reads a key. Never without a callback: the default prompts on the terminal and blocks.
    @unsafe private convenience init(
        _ bytes: [UInt8], _ passphrase: String?, _ read: (OpaquePointer, UnsafeMutableRawPointer) -> OpaquePointer?
    ) throws(ClientIdentityError) {
        guard let count = Int32(exactly: bytes.count) else { throw ClientIdentityError(.tooLarge) }
        OpenSSLError.clear()
        let answer = PassphraseAnswer(passphrase)
        let key = unsafe bytes.withUnsafeBytes { bytes -> OpaquePointer? in
            guard let bio = unsafe BIO_new_mem_buf(bytes.baseAddress, count) else { return nil }
            defer { unsafe BIO_free(bio) }
            return unsafe read(bio, Unmanaged.passUnretained(answer).toOpaque())
        }
        guard let key = unsafe key else { throw .withQueue(answer.explanation) }
        unsafe self.init(owning: key)
    }
}

/// OpenSSL's callback, whose context is a `PassphraseAnswer`.
@unsafe private func givePassphrase(
    _ target: UnsafeMutablePointer<CChar>?, _ size: Int32, _ isWriting: Int32, _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context = unsafe context else { return -1 }
    return unsafe Unmanaged<PassphraseAnswer>.fromOpaque(context).takeUnretainedValue().give(target, size)
}

/// The answer to OpenSSL's request for a passphrase.
private final class PassphraseAnswer {
    private let passphrase: [UInt8]?
    private var wasAsked = false

    init(_ passphrase: String?) { self.passphrase = passphrase.map { Array($0.utf8) } }

    /// Copies the passphrase and returns its length; -1 if there is none, or it does not fit.
    @unsafe func give(_ target: UnsafeMutablePointer<CChar>?, _ size: Int32) -> Int32 {
        wasAsked = true
        guard let passphrase, let target = unsafe target, let count = Int32(exactly: passphrase.count), count <= size
        else { return -1 }
        for (index, byte) in passphrase.enumerated() { unsafe target[index] = CChar(bitPattern: byte) }
        return count
    }

    /// The reason why there is no key. OpenSSL does not distinguish a missing key from a broken one.
    var explanation: ClientIdentityError.Reason {
        guard wasAsked else { return .noPrivateKey }
        return passphrase == nil ? .passphraseNeeded : .wrongPassphrase
    }
}
