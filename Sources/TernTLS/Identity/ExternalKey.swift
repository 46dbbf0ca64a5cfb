// SPDX-License-Identifier: Apache-2.0
// OpenSSL 3 has two ways for a key whose signatures others make: a provider of some twenty functions, and an engine,
// which is deprecated and needs one. This is an engine of this process alone: it is on no list, and is tied to single
// keys.
import CTernOpenSSL

/// Makes the signatures of a certificate's key by asking a closure.
///
/// Safety: OpenSSL's structures for all keys are created once and never freed. A key retains its signer by a slot of
/// OpenSSL's, whose callback releases it with the key. Pointers that a callback is given are used within its call.
@safe final class KeySigner: Sendable {
    private let certificate: X509Certificate
    private let signer: SignatureWait.Signer

    init(_ certificate: X509Certificate, _ signer: @escaping SignatureWait.Signer) {
        self.certificate = certificate
        self.signer = signer
    }

    /// A key that has the certificate's public part, and signs by asking; nil for other keys than RSA and those on
    /// curves, and where OpenSSL has no engines.
    @unsafe func makeKey() -> OpaquePointer? {
        guard let engine = unsafe Self.engine, Self.slot >= 0,
            let own = unsafe X509_get0_pubkey(certificate.x509.pointer),
            let key = unsafe tern_copy_public_key(own)
        else { return nil }
        let signer = unsafe Unmanaged.passRetained(self)
        guard unsafe EVP_PKEY_set_ex_data(key, Self.slot, signer.toOpaque()) == 1 else {
            unsafe signer.release()
            unsafe EVP_PKEY_free(key)
            return nil
        }
        if unsafe tern_set_key_engine(key, engine) == 1 { return unsafe key }
        unsafe EVP_PKEY_free(key)
        return nil
    }

    /// The place of the signer in a key; negative if there is none.
    private static let slot = unsafe tern_new_key_slot { _, signer, _, _, _, _ in
        if let signer = unsafe signer { unsafe Unmanaged<KeySigner>.fromOpaque(signer).release() }
    }

    nonisolated(unsafe) private static let methodOfRSA = unsafe tern_new_signing_method(EVP_PKEY_RSA, signDigest)
    nonisolated(unsafe) private static let methodOfCurves = unsafe tern_new_signing_method(EVP_PKEY_EC, signDigest)

    nonisolated(unsafe) private static let engine = unsafe tern_new_signing_engine { _, method, _, kind in
        guard let method = unsafe method else { return 0 }
        switch kind {
        case EVP_PKEY_RSA: unsafe method.pointee = KeySigner.methodOfRSA
        case EVP_PKEY_EC: unsafe method.pointee = KeySigner.methodOfCurves
        default: return 0
        }
        return unsafe method.pointee == nil ? 0 : 1
    }

    @unsafe fileprivate static func signer(of key: OpaquePointer) -> KeySigner? {
        guard let signer = unsafe EVP_PKEY_get_ex_data(key, slot) else { return nil }
        return unsafe Unmanaged.fromOpaque(signer).takeUnretainedValue()
    }

    /// Asks for a signature and verifies it; nil if there is none to send.
    @unsafe fileprivate func sign(_ digest: [UInt8], in context: OpaquePointer) -> [UInt8]? {
        // Elsewhere, such as on a reactor, nothing may wait.
        guard let wait = SignatureWait.current else { return nil }
        guard let request = unsafe request(for: digest, in: context) else {
            wait.fail(.unsupportedAlgorithm)
            return nil
        }
        switch wait.signature(for: request, by: signer) {
        case .success(let signature):
            if isSigned(request, by: signature) { return signature }
            wait.fail(.invalidSignature)
        case .failure(let failure): wait.fail(failure)
        }
        return nil
    }

    @unsafe private func request(for digest: [UInt8], in context: OpaquePointer) -> SigningRequest? {
        var digestAlgorithm: OpaquePointer?
        guard unsafe EVP_PKEY_CTX_get_signature_md(context, &digestAlgorithm) == 1,
            let hash = unsafe SigningRequest.Hash(EVP_MD_get_type(digestAlgorithm)),
            let key = unsafe EVP_PKEY_CTX_get0_pkey(context)
        else { return nil }
        var algorithm = SigningRequest.Algorithm.ecdsa
        if unsafe EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA {
            var padding: Int32 = 0
            guard unsafe EVP_PKEY_CTX_get_rsa_padding(context, &padding) == 1 else { return nil }
            switch padding {
            case RSA_PKCS1_PSS_PADDING: algorithm = .rsaPSS
            case RSA_PKCS1_PADDING: algorithm = .rsaPKCS1
            default: return nil
            }
        }
        return SigningRequest(algorithm: algorithm, hash: hash, digest: digest, certificate: certificate)
    }

    /// A wrong signature tells the server nothing, and the program too little: the server would only send an alert.
    private func isSigned(_ request: SigningRequest, by signature: [UInt8]) -> Bool {
        defer { OpenSSLError.clear() }
        guard let key = unsafe X509_get0_pubkey(certificate.x509.pointer),
            let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key, nil)
        else { return false }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        guard unsafe EVP_PKEY_verify_init(context) == 1,
            unsafe EVP_PKEY_CTX_set_signature_md(context, request.hash.algorithm) == 1
        else { return false }
        switch request.algorithm {
        case .ecdsa: break
        case .rsaPKCS1:
            guard unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PADDING) == 1 else { return false }
        case .rsaPSS:
            guard unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1,
                unsafe EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1
            else { return false }
        }
        return unsafe EVP_PKEY_verify(context, signature, signature.count, request.digest, request.digest.count) == 1
    }
}

/// OpenSSL's `sign` of a key: without a place for the signature, only its maximum length is asked for.
@unsafe private func signDigest(
    _ context: OpaquePointer?, _ signature: UnsafeMutablePointer<UInt8>?, _ count: UnsafeMutablePointer<Int>?,
    _ digest: UnsafePointer<UInt8>?, _ digestCount: Int
) -> Int32 {
    guard let context = unsafe context, let count = unsafe count, let key = unsafe EVP_PKEY_CTX_get0_pkey(context)
    else {
        return 0
    }
    guard let signature = unsafe signature else {
        unsafe count.pointee = Int(EVP_PKEY_get_size(key))
        return 1
    }
    let bytes = unsafe Array(UnsafeBufferPointer(start: digest, count: digestCount))
    guard let made = unsafe KeySigner.signer(of: key)?.sign(bytes, in: context), made.count <= (unsafe count.pointee)
    else {
        return 0
    }
    for (index, byte) in made.enumerated() { unsafe signature[index] = byte }
    unsafe count.pointee = made.count
    return 1
}

extension SigningRequest.Hash {
    fileprivate init?(_ kind: Int32) {
        switch kind {
        case NID_sha256: self = .sha256
        case NID_sha384: self = .sha384
        case NID_sha512: self = .sha512
        default: return nil
        }
    }

    @unsafe fileprivate var algorithm: OpaquePointer? {
        switch self {
        case .sha256: unsafe EVP_sha256()
        case .sha384: unsafe EVP_sha384()
        case .sha512: unsafe EVP_sha512()
        }
    }
}
