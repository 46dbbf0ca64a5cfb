// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

extension PEMBlocks {
    /// The contents of the blocks of one kind, in order, skipping text and other kinds.
    static func read(_ pem: [UInt8], named kind: String) throws(RevocationError) -> [[UInt8]] {
        guard let count = Int32(exactly: pem.count) else { throw RevocationError(.tooLarge) }
        OpenSSLError.clear()
        var blocks: [[UInt8]] = []
        let ended = unsafe pem.withUnsafeBytes { bytes in
            guard let bio = unsafe BIO_new_mem_buf(bytes.baseAddress, count) else { return false }
            defer { unsafe BIO_free(bio) }
            while let block = unsafe next(bio) { if block.kind == kind { blocks.append(block.contents) } }
            return ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE
        }
        guard ended else { throw .withQueue(.invalidPEM) }
        OpenSSLError.clear()
        return blocks
    }
}
