// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// The blocks of a PEM text.
enum PEMBlocks {
    /// The next block of any kind; nil at the end, and with a reason in OpenSSL's queue at a malformed block.
    @unsafe static func next(_ bio: OpaquePointer) -> (kind: String, contents: [UInt8])? {
        var name: UnsafeMutablePointer<CChar>?
        var header: UnsafeMutablePointer<CChar>?
        var data: UnsafeMutablePointer<UInt8>?
        var length = 0
        guard unsafe PEM_read_bio(bio, &name, &header, &data, &length) == 1 else { return nil }
        defer {
            unsafe CRYPTO_free(name, nil, 0)
            unsafe CRYPTO_free(header, nil, 0)
            unsafe CRYPTO_free(data, nil, 0)
        }
        return unsafe (String(cStringOrEmpty: name), Array(UnsafeBufferPointer(start: data, count: max(0, length))))
    }
}
