// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// A reference-counted `EVP_PKEY` with a private key.
///
/// Safety: the pointer is owned, never nil, freed once in `deinit` and only read; OpenSSL erases the key when it frees
/// it.
@safe final class PrivateKeyReference: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes ownership of the caller's reference.
    @unsafe init(owning pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe EVP_PKEY_free(pointer) }

    /// Reads the first private key of a PEM text, skipping everything else.
    convenience init(pem: [UInt8], passphrase: String?) throws(ClientIdentityError) {
        guard let count = Int32(exactly: pem.count) else { throw ClientIdentityError(.tooLarge) }
        OpenSSLError.clear()
        let answer = PassphraseAnswer(passphrase)
        let key = unsafe pem.withUnsafeBytes { bytes -> OpaquePointer? in
            guard let bio = unsafe BIO_new_mem_buf(bytes.baseAddress, count) else { return nil }
            defer { unsafe BIO_free(bio) }
            // Never without a callback: the default prompts on the terminal and blocks.
            return unsafe PEM_read_bio_PrivateKey(
                bio, nil,
                { target, size, _, context in
                    guard let context = unsafe context else { return -1 }
                    let answer = unsafe Unmanaged<PassphraseAnswer>.fromOpaque(context).takeUnretainedValue()
                    return unsafe answer.give(target, size)
                }, Unmanaged.passUnretained(answer).toOpaque())
        }
        guard let key = unsafe key else { throw .withQueue(answer.explanation) }
        unsafe self.init(owning: key)
    }
}

/// The answer to OpenSSL's request for a passphrase.
private final class PassphraseAnswer {
    private let passphrase: [UInt8]?
    private var wasAsked = false

    init(_ passphrase: String?) { self.passphrase = passphrase.map { Array($0.utf8) } }

    /// Copies the passphrase and returns its length; -1 if there is none, or it does not fit.
    @unsafe func give(_ target: UnsafeMutablePointer<CChar>?, _ size: Int32) -> Int32 {
        wasAsked = true
        guard let passphrase, let target = unsafe target, let count = Int32(exactly: passphrase.count), count <= size
        else { return -1 }
        for (index, byte) in passphrase.enumerated() { unsafe target[index] = CChar(bitPattern: byte) }
        return count
    }

    /// The reason why there is no key. OpenSSL does not distinguish a missing key from a broken one.
    var explanation: ClientIdentityError.Reason {
        guard wasAsked else { return .noPrivateKey }
        return passphrase == nil ? .passphraseNeeded : .wrongPassphrase
    }
}
