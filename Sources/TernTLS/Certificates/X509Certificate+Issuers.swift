// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

extension X509Certificate {
    /// The maximum number of certificates at the URL of an issuer.
    static let maximumIssuers = 16

    /// Reads what the URL of an issuer leads to: one certificate in DER, or a PKCS#7 message that has nothing but
    /// certificates (RFC 5280 §4.2.2.1), or either in PEM, which some authorities serve. Empty for anything else, and
    /// for more than 16 certificates.
    package static func issuers(in bytes: [UInt8]) -> [X509Certificate] {
        // DER begins with a SEQUENCE tag, which no text begins with.
        guard bytes.first == 0x30 else {
            let messages = (try? PEMBlocks.read(bytes, named: PEM_STRING_PKCS7)) ?? []
            let all = (try? all(inPEM: bytes)) ?? messages.prefix(maximumIssuers).flatMap(all(inPKCS7:))
            return all.count <= maximumIssuers ? all : []
        }
        if let certificate = try? X509Certificate(der: bytes) { return [certificate] }
        return all(inPKCS7: bytes)
    }

    private static func all(inPKCS7 bytes: [UInt8]) -> [X509Certificate] {
        OpenSSLError.clear()
        defer { OpenSSLError.clear() }
        return unsafe bytes.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            guard let message = unsafe d2i_PKCS7(nil, &cursor, buffer.count) else { return [] }
            defer { unsafe PKCS7_free(message) }
            guard unsafe cursor == buffer.baseAddress.map({ unsafe $0 + buffer.count }),
                let stack = unsafe tern_PKCS7_certificates(message),
                unsafe tern_X509_stack_count(stack) <= maximumIssuers
            else { return [] }
            return unsafe copies(of: stack)
        }
    }
}
