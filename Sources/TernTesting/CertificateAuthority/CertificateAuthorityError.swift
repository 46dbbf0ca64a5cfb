// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// Why a certificate could not be made.
public struct CertificateAuthorityError: Error, Sendable, Hashable {
    /// What could not be done; what it was about comes with it.
    public enum Reason: Sendable, Hashable {
        /// OpenSSL made no key of this kind.
        case keyGenerationFailed(KeyKind)
        /// The text is no private key in PEM.
        case invalidPrivateKey
        /// The text cannot stand in a certificate as a name.
        case invalidName(String)
        /// The text is no IP address.
        case invalidAddress(String)
        /// Seconds since 1970 that no certificate can state.
        case invalidTime(Int64)
        /// OpenSSL does not understand the name or the value.
        case invalidExtension(CertificateExtension)
        /// The key does not sign with this digest.
        case signingFailed(SignatureDigest)
        /// Something cannot be read or written as PEM or DER.
        case encodingFailed
        /// OpenSSL found no memory.
        case outOfMemory
    }

    /// What could not be done.
    public let reason: Reason
    /// OpenSSL's own words, oldest first; empty when it had none.
    public let detail: String

    /// Takes what OpenSSL left in this thread's error queue, and empties the queue.
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
    /// The reason, and behind it what OpenSSL said.
    public var description: String { detail.isEmpty ? "\(reason)" : "\(reason): \(detail)" }
}
