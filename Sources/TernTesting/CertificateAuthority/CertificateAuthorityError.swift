// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// Why a certificate could not be made.
public struct CertificateAuthorityError: Error, Sendable, Hashable {
    public enum Reason: Sendable, Hashable {
        case keyGenerationFailed(KeyKind)
        case invalidPrivateKey
        case invalidName(String)
        case invalidAddress(String)
        case invalidTime(Int64)
        case invalidExtension(CertificateExtension)
        case signingFailed(SignatureDigest)
        case encodingFailed
        case outOfMemory
    }

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
    public var description: String { detail.isEmpty ? "\(reason)" : "\(reason): \(detail)" }
}
