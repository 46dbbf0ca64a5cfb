// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// An X.509 certificate. Two certificates are equal if their DER encodings are.
public struct X509Certificate: Sendable {
    let x509: X509Reference

    /// Reads one DER certificate without further bytes.
    public init(der: some Sequence<UInt8>) throws(CertificateError) {
        let der = Array(der)
        OpenSSLError.clear()
        guard let read = unsafe der.withUnsafeBufferPointer({ unsafe X509Certificate(reading: $0) }) else {
            throw CertificateError(.invalidDER)
        }
        self = read
    }

    @unsafe private init?(reading der: UnsafeBufferPointer<UInt8>) {
        var cursor = der.baseAddress
        guard let x509 = unsafe d2i_X509(nil, &cursor, der.count) else { return nil }
        self.x509 = unsafe X509Reference(owning: x509)
        guard unsafe cursor == der.baseAddress.map({ unsafe $0 + der.count }) else { return nil }
    }

    /// Reads the first certificate of a PEM text.
    public init(pem: String) throws(CertificateError) {
        let all = try X509Certificate.all(inPEM: pem)
        self = all[0]
    }

    /// Reads every certificate of a PEM text, in order, skipping text and blocks of other kinds.
    ///
    /// - Throws: `noCertificate` if there is none, `invalidPEM` if one is malformed.
    public static func all(inPEM pem: String) throws(CertificateError) -> [X509Certificate] {
        try all(inPEM: Array(pem.utf8))
    }

    /// Reads every certificate of a PEM file's bytes, as `all(inPEM:)` does.
    public static func all(inPEM pem: some Sequence<UInt8>) throws(CertificateError) -> [X509Certificate] {
        let pem = Array(pem)
        guard let count = Int32(exactly: pem.count) else { throw CertificateError(.tooLarge) }
        OpenSSLError.clear()
        var certificates: [X509Certificate] = []
        let ended = unsafe pem.withUnsafeBytes { bytes in
            guard let bio = unsafe BIO_new_mem_buf(bytes.baseAddress, count) else { return false }
            defer { unsafe BIO_free(bio) }
            var block: UnsafeMutablePointer<UInt8>?
            var length = 0
            // No passphrase: the default would prompt on the terminal and block.
            while unsafe PEM_bytes_read_bio(
                &block, &length, nil, PEM_STRING_X509, bio, { _, _, _, _ in -1 }, nil) == 1
            {
                defer { unsafe CRYPTO_free(block, nil, 0) }
                let der = unsafe UnsafeBufferPointer(start: block, count: max(0, length))
                guard let certificate = unsafe X509Certificate(reading: der) else { return false }
                certificates.append(certificate)
            }
            return ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE
        }
        guard ended else { throw CertificateError(.invalidPEM(block: certificates.count)) }
        OpenSSLError.clear()
        guard !certificates.isEmpty else { throw CertificateError(.noCertificate) }
        return certificates
    }

    init(_ x509: X509Reference) { self.x509 = x509 }

    /// The encoding, in DER even if the source bytes deviated from it.
    public var der: [UInt8] { x509.der }

    /// The subject as RFC 4514 text, most specific part first: `CN=example.com,O=Example`.
    public var subject: String { unsafe X509Reference.text(of: X509_get_subject_name(x509.pointer)) }
    /// As `subject`.
    public var issuer: String { unsafe X509Reference.text(of: X509_get_issuer_name(x509.pointer)) }

    /// The names in subjectAltName, as written; empty if there are none that can be read.
    public var subjectAlternativeNames: [SubjectAlternativeName] { x509.subjectAlternativeNames }

    /// Seconds since 1970-01-01T00:00:00Z, or nil if the certificate's time cannot be read.
    public var notBefore: Int64? { unsafe Timestamp.seconds(X509_get0_notBefore(x509.pointer)) }
    /// Seconds since 1970-01-01T00:00:00Z, or nil if the certificate's time cannot be read.
    public var notAfter: Int64? { unsafe Timestamp.seconds(X509_get0_notAfter(x509.pointer)) }

    /// The key, hashed from the SubjectPublicKeyInfo of this certificate.
    public var publicKey: X509Certificate.PublicKey {
        X509Certificate.PublicKey(subjectPublicKeyInfo: x509.subjectPublicKeyInfo)
    }

    /// Whether names and key identifiers match, and this certificate is allowed to sign others. Whether it signed the
    /// other one is checked separately.
    func mayHaveIssued(_ other: X509Certificate) -> Bool {
        unsafe X509_check_issued(x509.pointer, other.x509.pointer) == X509_V_OK
    }

    /// References to the certificates of a stack that its owner keeps; empty for nil.
    @unsafe static func copies(of stack: OpaquePointer?) -> [X509Certificate] {
        guard let stack = unsafe stack else { return [] }
        return (0..<max(0, unsafe tern_X509_stack_count(stack))).compactMap { index in
            unsafe tern_X509_stack_at(stack, index).map { X509Certificate(unsafe X509Reference(retaining: $0)) }
        }
    }
}

extension X509Certificate: Hashable {
    public static func == (left: X509Certificate, right: X509Certificate) -> Bool {
        unsafe left.x509 === right.x509 || left.x509.pointer == right.x509.pointer || left.der == right.der
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(der) }
}

extension X509Certificate: CustomStringConvertible {
    /// The subject, truncated if it is long.
    public var description: String { subject.isEmpty ? "(no subject)" : ShortenedText.shortened(subject) }
}

extension X509Certificate {
    /// A public key, identified by the SHA-256 of its DER SubjectPublicKeyInfo, whatever its algorithm.
    ///
    /// Two keys are equal if their hashes are: pins from a file, a certificate or a text compare alike, and a
    /// certificate renewed with the same key still matches.
    public struct PublicKey: Sendable, Hashable {
        /// 32 bytes.
        public let sha256: [UInt8]

        /// Parses `sha256/BASE64`, the form of ``pin``, or `sha256//BASE64`, the form of curl.
        public init(pin: String) throws(PinError) {
            let prefix = "sha256/"
            guard pin.hasPrefix(prefix) else { throw .unknownAlgorithm(pin) }
            var text = pin.utf8.dropFirst(prefix.utf8.count)
            // A hash has 44 characters, of which the first may be a slash: another one in front is curl's.
            if text.count != 44, text.first == UInt8(ascii: "/") { text = text.dropFirst() }
            guard let hash = Base64.decode(text) else { throw .invalidBase64(String(decoding: text, as: UTF8.self)) }
            guard hash.count == 32 else { throw .wrongLength(hash.count) }
            sha256 = hash
        }

        /// A key with this hash; nil unless it has 32 bytes.
        public init?(sha256: some Sequence<UInt8>) {
            let sha256 = Array(sha256)
            guard sha256.count == 32 else { return nil }
            self.sha256 = sha256
        }

        /// Hashes a DER SubjectPublicKeyInfo, as `openssl pkey -pubout -outform der` writes it.
        public init(subjectPublicKeyInfo der: some Sequence<UInt8>) {
            let der = Array(der)
            OpenSSLError.clear()
            var hash = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
            unsafe SHA256(der, der.count, &hash)
            sha256 = hash
        }

        /// Hashes the public key in a file: DER, or the first `PUBLIC KEY` block of a PEM text, as `openssl pkey
        /// -pubout` writes them; or an RSA key as `openssl rsa -RSAPublicKey_out` writes it (PKCS #1).
        public init(publicKeyFile bytes: some Sequence<UInt8>) throws(PinError) {
            let bytes = Array(bytes)
            guard let der = Self.contents(ofFile: bytes), Self.isPublicKey(der) else { throw .notPublicKey }
            self.init(subjectPublicKeyInfo: der)
        }

        /// The DER of the public key in a file, not read yet; nil for a PEM text without one.
        static func contents(ofFile bytes: [UInt8]) -> [UInt8]? {
            // DER begins with a SEQUENCE tag, which no text begins with.
            if bytes.first == 0x30 { return infoOfRSAKey(bytes) ?? bytes }
            if let info = (try? PEMBlocks.read(bytes, named: PEM_STRING_PUBLIC))?.first { return info }
            return (try? PEMBlocks.read(bytes, named: PEM_STRING_RSA_PUBLIC))?.first.flatMap(infoOfRSAKey)
        }

        /// The SubjectPublicKeyInfo of exactly one DER `RSAPublicKey` (RFC 8017 §A.1.1); nil for other bytes.
        private static func infoOfRSAKey(_ der: [UInt8]) -> [UInt8]? {
            OpenSSLError.clear()
            defer { OpenSSLError.clear() }
            return unsafe der.withUnsafeBufferPointer { buffer -> [UInt8]? in
                var cursor = buffer.baseAddress
                guard let key = unsafe d2i_PublicKey(NID_rsaEncryption, nil, &cursor, buffer.count) else { return nil }
                defer { unsafe EVP_PKEY_free(key) }
                guard unsafe cursor == buffer.baseAddress.map({ unsafe $0 + buffer.count }) else { return nil }
                return unsafe X509Reference.encode { target in unsafe i2d_PUBKEY(key, target) }
            }
        }

        private static func isPublicKey(_ der: [UInt8]) -> Bool {
            guard let key = unsafe read(der) else { return false }
            unsafe EVP_PKEY_free(key)
            return true
        }

        /// Reads exactly one DER SubjectPublicKeyInfo; nil for other bytes. The caller frees the key.
        @unsafe static func read(_ der: [UInt8]) -> OpaquePointer? {
            OpenSSLError.clear()
            defer { OpenSSLError.clear() }
            return unsafe der.withUnsafeBufferPointer { buffer -> OpaquePointer? in
                var cursor = buffer.baseAddress
                guard let key = unsafe d2i_PUBKEY(nil, &cursor, buffer.count) else { return nil }
                if unsafe cursor == buffer.baseAddress.map({ unsafe $0 + buffer.count }) { return unsafe key }
                unsafe EVP_PKEY_free(key)
                return nil
            }
        }

        /// `sha256/BASE64`.
        public var pin: String { "sha256/" + Base64.encode(sha256) }
    }
}

extension X509Certificate.PublicKey: CustomStringConvertible {
    public var description: String { pin }
}

/// Why a text is not a pin.
public enum PinError: Error, Sendable, Hashable {
    /// The text begins neither with `sha256/` nor with `sha256//`.
    case unknownAlgorithm(String)
    /// The rest is not padded, canonical base64.
    case invalidBase64(String)
    /// The hash does not have 32 bytes.
    case wrongLength(Int)
    /// The file is neither a DER SubjectPublicKeyInfo nor a PEM text with a `PUBLIC KEY` block.
    case notPublicKey
    /// The file holds neither a public key nor a signing request, nor a private key without a passphrase, in PEM or DER.
    case notKey
}

extension PinError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknownAlgorithm(let pin): "the pin \"\(pin)\" does not begin with \"sha256/\""
        case .invalidBase64(let text): "\"\(text)\" is not padded base64"
        case .wrongLength(let count): "the pin has \(count) bytes where SHA-256 has 32"
        case .notPublicKey: "not a public key in PEM or DER"
        case .notKey: "neither a key without a passphrase nor a signing request, in PEM or DER"
        }
    }
}

extension X509Certificate {
    /// The encoding as text (RFC 7468), with a line break at the end.
    public var pem: String {
        var lines = ["-----BEGIN CERTIFICATE-----"]
        var rest = Base64.encode(der)[...]
        while !rest.isEmpty {
            lines.append(String(rest.prefix(64)))
            rest = rest.dropFirst(64)
        }
        return lines.joined(separator: "\n") + "\n-----END CERTIFICATE-----\n"
    }
}

/// The kind of a certificate's key, without its numbers.
enum KeyAlgorithm: Hashable {
    /// The sizes of the modulus in bits, and of the exponent in bytes.
    case rsa(bits: Int, exponent: Int)
    /// A curve by its `NID_…`; nil if its parameters are explicit.
    case ellipticCurve(Int32?)
    case dsa
    case other(Int32)
}

extension X509Certificate {
    /// Whether a key may occur in other servers' certificates. RSA verification above 8192 bits, or with a long
    /// exponent, takes long enough to be an attack; OpenSSL's security level enforces the minimum.
    var hasSupportedKey: Bool {
        if case .rsa(let bits, let exponent) = keyAlgorithm, bits > 8192 || exponent > 8 { return false }
        return hasSupportedAlgorithm
    }

    /// Whether a key is of an allowed kind, anchors included.
    var hasSupportedAlgorithm: Bool {
        switch keyAlgorithm {
        case .ellipticCurve(let curve?): Self.curves.contains(curve)
        case .ellipticCurve(nil), .dsa, nil: false
        case .rsa(let bits, _): bits % 8 == 0
        case .other: true
        }
    }

    /// The cost of verifying a signature made with the key, in units of `EvaluationBudget`.
    var verificationCost: Int {
        switch keyAlgorithm {
        case .rsa(let bits, _): bits <= 4096 ? 60 : bits <= 8192 ? 250 : 1500
        case .ellipticCurve(NID_X9_62_prime256v1), .other(NID_ED25519): 80
        case .ellipticCurve(NID_secp384r1), .ellipticCurve(NID_secp521r1), .other: 600
        case .ellipticCurve, .dsa, nil: 900
        }
    }

    private static let curves = [
        NID_X9_62_prime256v1, NID_secp384r1, NID_secp521r1,
        NID_brainpoolP256r1, NID_brainpoolP384r1, NID_brainpoolP512r1,  // RFC 7027, German authorities
    ]

    /// Nil for an unreadable key, and for numbers that are not an RSA key.
    var keyAlgorithm: KeyAlgorithm? {
        defer { OpenSSLError.clear() }
        var object: OpaquePointer?
        var bytes: UnsafePointer<UInt8>?
        var length: Int32 = 0
        var algorithm: UnsafeMutablePointer<X509_ALGOR>?
        guard let key = unsafe X509_get0_pubkey(x509.pointer),
            unsafe X509_PUBKEY_get0_param(&object, &bytes, &length, &algorithm, X509_get_X509_PUBKEY(x509.pointer))
                == 1
        else { return nil }
        switch unsafe OBJ_obj2nid(object) {
        case NID_rsaEncryption, NID_rsassaPss:
            let encoding = unsafe Array(UnsafeBufferPointer(start: bytes, count: Int(max(0, length))))
            guard let exponent = Self.exponentLength(inRSAKey: encoding) else { return nil }
            return .rsa(bits: unsafe Int(EVP_PKEY_get_bits(key)), exponent: exponent)
        case NID_X9_62_id_ecPublicKey:
            var kind: Int32 = 0
            var value: UnsafeRawPointer?
            unsafe X509_ALGOR_get0(nil, &kind, &value, algorithm)
            guard kind == V_ASN1_OBJECT, let value = unsafe value else { return .ellipticCurve(nil) }
            return .ellipticCurve(unsafe OBJ_obj2nid(OpaquePointer(value)))
        case NID_dsa: return .dsa
        case let other: return .other(other)
        }
    }

    /// The length of the exponent in bytes. RFC 8017 §3.1: the modulus is odd, and so is the exponent, at least 3. With
    /// exponent 1, a message is its own signature, which anyone can make.
    private static func exponentLength(inRSAKey encoding: [UInt8]) -> Int? {
        guard var numbers = DERElements(sequence: encoding), let modulus = numbers.next(),
            let exponent = numbers.next()?.content.drop(while: { $0 == 0 }), numbers.isAtEnd,
            modulus.content.last.map({ $0 & 1 }) == 1, exponent.last.map({ $0 & 1 }) == 1, exponent != [1]
        else { return nil }
        return exponent.count
    }
}

/// Why bytes are not a certificate.
public struct CertificateError: Error, Sendable, Hashable {
    /// The kind of error.
    public enum Reason: Sendable, Hashable {
        /// The bytes are not exactly one DER `X509Certificate`.
        case invalidDER
        /// A `CERTIFICATE` block of the PEM text, counted from 0, is malformed.
        case invalidPEM(block: Int)
        /// The PEM text has no `CERTIFICATE` block.
        case noCertificate
        /// More bytes than OpenSSL can handle.
        case tooLarge
    }

    /// The kind of error.
    public let reason: Reason
    /// OpenSSL's error queue, oldest first.
    public let openSSL: [OpenSSLError]

    /// Empties this thread's OpenSSL error queue into the error.
    init(_ reason: Reason) {
        self.reason = reason
        openSSL = OpenSSLError.drain()
    }
}

extension CertificateError: CustomStringConvertible {
    public var description: String {
        let text =
            switch reason {
            case .invalidDER: "not a DER certificate"
            case .invalidPEM(let block): "PEM certificate \(block + 1) is broken"
            case .noCertificate: "no PEM certificate found"
            case .tooLarge: "too many bytes for a certificate"
            }
        return openSSL.appended(to: text)
    }
}
