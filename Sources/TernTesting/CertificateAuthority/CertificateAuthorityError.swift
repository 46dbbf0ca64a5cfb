// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// Why a certificate could not be created.
public struct CertificateAuthorityError: Error, Sendable, Hashable {
    /// The kind of error.
    public enum Reason: Sendable, Hashable {
        /// OpenSSL could not create a key of this kind.
        case keyGenerationFailed(KeyKind)
        /// The text is not a private key in PEM.
        case invalidPrivateKey
        /// The text is not valid as a name in a certificate.
        case invalidName(String)
        /// The text is not an IP address.
        case invalidAddress(String)
        /// The time, in seconds since 1970, cannot be expressed in a certificate.
        case invalidTime(Int64)
        /// OpenSSL does not support the name or the value.
        case invalidExtension(CertificateExtension)
        /// The key cannot sign with this digest.
        case signingFailed(SignatureDigest)
        /// A value cannot be read or written as PEM or DER.
        case encodingFailed
        /// OpenSSL could not allocate memory.
        case outOfMemory
    }

    /// The kind of error.
    public let reason: Reason
    /// OpenSSL's messages, oldest first; empty if there are none.
    public let detail: String

    /// Empties this thread's OpenSSL error queue into the error.
    init(_ reason: Reason) {
        self.reason = reason
        var lines: [String] = []
        while case let code = ERR_get_error(), code != 0 {
            lines.append(
                unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
                    unsafe ERR_error_string_n(code, text.baseAddress, text.count)
                    return unsafe text.baseAddress.map { unsafe String(cString: $0) } ?? ""
                })
        }
        detail = lines.joined(separator: "; ")
    }
}

extension CertificateAuthorityError: CustomStringConvertible {
    /// The reason, followed by OpenSSL's messages.
    public var description: String { detail.isEmpty ? "\(reason)" : "\(reason): \(detail)" }
}
