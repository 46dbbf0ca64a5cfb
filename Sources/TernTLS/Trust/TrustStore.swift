// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// An `X509_STORE`: the certificates chains may end in, indexed by subject.
///
/// Safety: the pointer is owned, filled in `init` only, and freed once in `deinit`; lookups take the store's own lock.
@safe final class TrustStore: @unchecked Sendable {
    /// Nil only without memory; every chain is refused then.
    let pointer: OpaquePointer?

    /// The operating system's anchors. Reading them takes some 20 ms, once in the life of the process.
    static let system = unsafe TrustStore { store in unsafe SystemAnchors.load(into: store) }

    convenience init(_ certificates: [Certificate], and other: TrustStore? = nil) {
        unsafe self.init { store in
            for certificate in (other?.all ?? []) + certificates {
                unsafe X509_STORE_add_cert(store, certificate.x509.pointer)
            }
        }
    }

    private init(_ load: (OpaquePointer) -> Void) {
        unsafe pointer = X509_STORE_new()
        if let pointer = unsafe pointer { unsafe load(pointer) }
        ERR_clear_error()
    }

    /// What is no certificate, such as a revocation list, is left out.
    var all: [Certificate] {
        guard let pointer = unsafe pointer else { return [] }
        // A lookup by another thread may sort the list it finds.
        unsafe X509_STORE_lock(pointer)
        defer { unsafe X509_STORE_unlock(pointer) }
        return (0..<Int32(clamping: count)).compactMap { index in
            unsafe tern_X509_STORE_at(pointer, index).map { Certificate(unsafe X509Reference(retaining: $0)) }
        }
    }

    func contains(_ certificate: Certificate) -> Bool {
        unsafe certificates(named: X509_get_subject_name(certificate.x509.pointer)).contains(certificate)
    }

    /// The anchors with the name of the certificate's issuer. Whether one of them did sign it is another question.
    func certificates(issuing certificate: Certificate) -> [Certificate] {
        unsafe certificates(named: X509_get_issuer_name(certificate.x509.pointer))
    }

    @unsafe private func certificates(named name: OpaquePointer?) -> [Certificate] {
        guard let pointer = unsafe pointer, let context = unsafe X509_STORE_CTX_new() else { return [] }
        defer { unsafe X509_STORE_CTX_free(context) }
        guard unsafe X509_STORE_CTX_init(context, pointer, nil, nil) == 1,
            let found = unsafe X509_STORE_CTX_get1_certs(context, name)
        else { return [] }
        defer { unsafe tern_X509_stack_release(found) }
        return unsafe Certificate.copies(of: found)
    }

    deinit { unsafe X509_STORE_free(pointer) }

    var count: Int {
        guard let pointer = unsafe pointer else { return 0 }
        return Int(max(0, unsafe tern_X509_STORE_count(pointer)))
    }
}
