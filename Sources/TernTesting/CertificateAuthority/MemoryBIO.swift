// SPDX-License-Identifier: Apache-2.0
// The two directions of a memory BIO; neither pointer may escape its closure.
import CTernOpenSSL

@unsafe func withMemoryBIO<Result>(
    reading text: String, _ body: (OpaquePointer) -> Result?
) throws(CertificateAuthorityError) -> Result? {
    let bytes = Array(text.utf8)
    guard let length = Int32(exactly: bytes.count) else { throw CertificateAuthorityError(.outOfMemory) }
    return unsafe bytes.withUnsafeBytes { buffer in
        guard let bio = unsafe BIO_new_mem_buf(buffer.baseAddress, length) else { return nil }
        defer { unsafe BIO_free(bio) }
        return unsafe body(bio)
    }
}

@unsafe func writingMemoryBIO(_ body: (OpaquePointer) -> Bool) throws(CertificateAuthorityError) -> String {
    guard let bio = unsafe BIO_new(BIO_s_mem()) else { throw CertificateAuthorityError(.outOfMemory) }
    defer { unsafe BIO_free(bio) }
    guard unsafe body(bio) else { throw CertificateAuthorityError(.encodingFailed) }
    var data: UnsafeMutablePointer<CChar>?
    let count = unsafe tern_BIO_get_mem_data(bio, &data)
    return unsafe String(decoding: UnsafeRawBufferPointer(start: data, count: max(0, count)), as: UTF8.self)
}
