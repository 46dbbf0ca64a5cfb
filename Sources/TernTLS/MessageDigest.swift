// SPDX-License-Identifier: Apache-2.0
// Safety: the context is owned by one value, and the pointers are lent for one call.
import CTernOpenSSL

/// A hash that is computed incrementally.
@safe
package struct MessageDigest: ~Copyable {
    /// Which.
    package enum Algorithm: Sendable {
        case md5, sha1, sha256, sha512
        /// SHA-512/256: other initial values, and the first half of the result.
        case sha512Truncated
    }

    private let context: OpaquePointer?
    private var isSound: Bool

    /// An error of OpenSSL, such as a failed allocation, makes the result nil.
    package init(_ algorithm: Algorithm) {
        OpenSSLError.clear()
        let made = unsafe EVP_MD_CTX_new()
        let kind =
            switch algorithm {
            case .md5: unsafe EVP_md5()
            case .sha1: unsafe EVP_sha1()
            case .sha256: unsafe EVP_sha256()
            case .sha512: unsafe EVP_sha512()
            case .sha512Truncated: unsafe EVP_sha512_256()
            }
        isSound = if let made = unsafe made { unsafe EVP_DigestInit_ex(made, kind, nil) == 1 } else { false }
        unsafe context = made
    }

    deinit { unsafe EVP_MD_CTX_free(context) }

    /// Adds bytes to the hash.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard isSound, let start = bytes.baseAddress else { return }
        isSound = unsafe EVP_DigestUpdate(context, start, bytes.count) == 1
    }

    /// Returns the hash of all added bytes; nil if it could not be computed.
    package consuming func finish() -> [UInt8]? {
        var hash = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard isSound, unsafe EVP_DigestFinal_ex(context, &hash, &count) == 1 else {
            OpenSSLError.clear()
            return nil
        }
        return Array(hash.prefix(Int(count)))
    }
}

extension MessageDigest {
    /// The hash of these bytes; nil if it could not be computed.
    package static func hash(_ bytes: [UInt8], by algorithm: Algorithm) -> [UInt8]? {
        var digest = MessageDigest(algorithm)
        unsafe bytes.withUnsafeBytes { unsafe digest.update($0) }
        return digest.finish()
    }

    /// The HMAC with SHA-256 of these bytes (RFC 2104); nil if it could not be computed.
    package static func hmacSHA256(_ bytes: [UInt8], key: [UInt8]) -> [UInt8]? {
        guard let keyCount = Int32(exactly: key.count) else { return nil }
        OpenSSLError.clear()
        defer { OpenSSLError.clear() }
        var code = [UInt8](repeating: 0, count: 32)
        let result = unsafe HMAC(EVP_sha256(), key, keyCount, bytes, bytes.count, &code, nil)
        return unsafe result == nil ? nil : code
    }
}
