// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// What a log signs (RFC 6962 §3.2).
public enum TransparencyTestEntry: Sendable {
    /// The DER certificate, for timestamps that are not in it.
    case certificate([UInt8])
    /// The signed part of the certificate before it has timestamps, and the SHA-256 of its issuer's key.
    case precertificate(issuerKeyHash: [UInt8], tbs: [UInt8])
}

/// A log of certificates (RFC 6962) that signs whatever it is given, and publishes nothing. Immutable, so any thread may
/// use it.
public final class TransparencyTestLog: Sendable {
    /// The log's name.
    public let name: String
    /// The operator's name.
    public let operatorName: String
    /// The log's key, a DER SubjectPublicKeyInfo.
    public let publicKey: [UInt8]
    /// The SHA-256 of the key.
    public let id: [UInt8]
    private let key: PrivateKey

    /// Creates a log with a new key, P-256 by default.
    public init(
        _ name: String, operatorName: String, key kind: KeyKind = .p256
    ) throws(CertificateAuthorityError) {
        let key = try PrivateKey(kind)
        let pointer = unsafe key.pointer
        self.key = key
        self.name = name
        self.operatorName = operatorName
        var der: UnsafeMutablePointer<UInt8>?
        let length = unsafe i2d_PUBKEY(pointer, &der)
        guard length > 0, let der = unsafe der else { throw CertificateAuthorityError(.encodingFailed) }
        defer { unsafe CRYPTO_free(der, #file, 0) }
        publicKey = unsafe Array(UnsafeBufferPointer(start: der, count: Int(length)))
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        unsafe SHA256(der, Int(length), &digest)
        id = digest
    }

    /// Returns a serialised timestamp.
    ///
    /// - Parameters:
    ///   - entry: what the log signs.
    ///   - time: in seconds since 1970.
    ///   - extensions: the bytes of the timestamp's extensions; none by default.
    public func timestamp(
        of entry: TransparencyTestEntry, at time: Int64, extensions: [UInt8] = []
    ) throws(CertificateAuthorityError) -> [UInt8] {
        let moment = Self.number(UInt64(clamping: time) &* 1000, 8)
        let content: [UInt8] =
            switch entry {
            case .certificate(let der): [0, 0] + Self.vector(der, 3)
            case .precertificate(let hash, let tbs): [0, 1] + hash + Self.vector(tbs, 3)
            }
        let suffix = Self.vector(extensions, 2)
        let signature = try sign([0, 0] + moment + content + suffix)
        let algorithm: UInt8 = unsafe EVP_PKEY_get_id(key.pointer) == EVP_PKEY_RSA ? 1 : 3
        return [0] + id + moment + suffix + [4, algorithm] + Self.vector(signature, 2)
    }

    /// Returns the signature of bytes with SHA-256: of a list of logs, for example.
    public func sign(_ bytes: [UInt8]) throws(CertificateAuthorityError) -> [UInt8] {
        guard let context = unsafe EVP_MD_CTX_new() else { throw CertificateAuthorityError(.outOfMemory) }
        defer { unsafe EVP_MD_CTX_free(context) }
        var (signature, length) = ([UInt8](repeating: 0, count: 1024), 1024)
        guard unsafe EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key.pointer) == 1,
            unsafe EVP_DigestSign(context, &signature, &length, bytes, bytes.count) == 1
        else { throw CertificateAuthorityError(.signingFailed(.sha256)) }
        return Array(signature.prefix(length))
    }

    /// Returns a `SignedCertificateTimestampList` (RFC 6962 §3.3) of serialised timestamps.
    public static func list(_ timestamps: [[UInt8]]) -> [UInt8] { vector(timestamps.flatMap { vector($0, 2) }, 2) }

    /// Returns the log as an element of `logs` in a list of logs, version 3 of the schema.
    ///
    /// - Parameter state: the state as JSON, such as `{"retired": {"timestamp": "2026-01-31T00:00:00Z"}}`.
    public func json(state: String = #"{"usable": {"timestamp": "2020-01-01T00:00:00Z"}}"#) -> String {
        #"{"description": "\#(name)", "log_id": "\#(Self.base64(id))", "key": "\#(Self.base64(publicKey))", "#
            + #""url": "https://log.test/", "mmd": 86400, "state": \#(state)}"#
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        var text = [UInt8](repeating: 0, count: bytes.count / 3 * 4 + 5)
        let count = unsafe EVP_EncodeBlock(&text, bytes, Int32(clamping: bytes.count))
        return String(decoding: text.prefix(Int(max(0, count))), as: UTF8.self)
    }

    private static func vector(_ bytes: [UInt8], _ lengthBytes: Int) -> [UInt8] {
        number(UInt64(bytes.count), lengthBytes) + bytes
    }

    private static func number(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }
}
