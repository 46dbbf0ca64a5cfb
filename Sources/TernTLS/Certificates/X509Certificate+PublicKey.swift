// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

extension X509Certificate {
    /// A public key, identified by the SHA-256 of its DER SubjectPublicKeyInfo, whatever its algorithm.
    ///
    /// Two keys are equal if their hashes are: pins from a file, a certificate or a text compare alike, and a
    /// certificate renewed with the same key still matches.
    public struct PublicKey: Sendable, Hashable {
        /// 32 bytes.
        public let sha256: [UInt8]

        /// Parses `sha256/BASE64`, the form of `pin`.
        public init(pin: String) throws(PinError) {
            let prefix = "sha256/"
            guard pin.hasPrefix(prefix) else { throw .unknownAlgorithm(pin) }
            let text = pin.utf8.dropFirst(prefix.utf8.count)
            guard let hash = Base64.decode(text) else { throw .invalidBase64(String(decoding: text, as: UTF8.self)) }
            guard hash.count == 32 else { throw .wrongLength(hash.count) }
            sha256 = hash
        }

        /// Hashes a DER SubjectPublicKeyInfo, as `openssl pkey -pubout -outform der` writes it.
        public init(subjectPublicKeyInfo der: [UInt8]) {
            OpenSSLError.clear()
            var hash = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
            unsafe SHA256(der, der.count, &hash)
            sha256 = hash
        }

        /// `sha256/BASE64`.
        public var pin: String { "sha256/" + Base64.encode(sha256) }
    }
}

extension X509Certificate.PublicKey: CustomStringConvertible {
    public var description: String { pin }
}
