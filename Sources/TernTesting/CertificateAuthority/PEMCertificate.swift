// SPDX-License-Identifier: Apache-2.0
// Safety: `pointer` is one reference, held from `init` to `deinit`.

internal import CTernOpenSSL

/// A certificate read from PEM.
@safe
final class PEMCertificate {
    let pointer: OpaquePointer

    private init(owning pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe X509_free(pointer) }

    /// Reads all certificates of the text, up to the first that cannot be read.
    static func all(in pem: String) -> [PEMCertificate] {
        var certificates: [PEMCertificate] = []
        unsafe read(pem) { file in
            while let pointer = unsafe PEM_read_bio_X509(file, nil, nil, nil) {
                unsafe certificates.append(PEMCertificate(owning: pointer))
            }
        }
        ERR_clear_error()  // "no start line" is how the list ends
        return certificates
    }

    /// Lends the text as a BIO.
    @unsafe
    static func read<T>(_ pem: String, _ read: (OpaquePointer?) -> T) -> T {
        unsafe Array(pem.utf8).withUnsafeBytes { bytes in
            let file = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count))
            defer { unsafe BIO_free(file) }
            return unsafe read(file)
        }
    }
}
