// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// The server's list of certificates as a handshake message (RFC 8446 §4.4.2, RFC 5246 §7.4.2), before OpenSSL reads
/// it: reading one certificate, with its key, takes longer than counting a hundred.
///
/// Safety: reads only the borrowed `bytes`, within their bounds.
@safe struct CertificateMessage {
    private let bytes: UnsafeRawBufferPointer
    private let isOfTLS13: Bool

    /// Nil for other messages.
    @unsafe init?(_ bytes: UnsafeRawBufferPointer, version: Int32) {
        guard bytes.count > 4, unsafe Int32(bytes[0]) == SSL3_MT_CERTIFICATE else { return nil }
        unsafe self.bytes = bytes
        isOfTLS13 = version == TLS1_3_VERSION
    }

    /// Whether there are more certificates than the limit. Malformed lists are left to OpenSSL.
    var isTooLong: Bool {
        var position = isOfTLS13 ? 8 : 7
        var count = 0
        while unsafe position + 3 <= bytes.count {
            count += 1
            if count > EvaluationLimit.certificates.maximum { return true }
            position += 3 + number(at: position, length: 3)
            if isOfTLS13 { position += 2 + (unsafe position + 2 <= bytes.count ? number(at: position, length: 2) : 0) }
        }
        return false
    }

    private func number(at position: Int, length: Int) -> Int {
        unsafe bytes[position..<(position + length)].reduce(0) { $0 << 8 | Int($1) }
    }
}
