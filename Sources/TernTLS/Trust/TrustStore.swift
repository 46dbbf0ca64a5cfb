// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// An `X509_STORE`: the certificates chains may end in, indexed by subject.
///
/// Safety: the pointer is owned, filled in `init` only, and freed once in `deinit`; lookups take the store's own lock.
@safe final class TrustStore: @unchecked Sendable {
    /// Nil only without memory; every chain is refused then.
    let pointer: OpaquePointer?
    /// Whether certificates may be found that have not been read yet, and are not among `all`.
    private let hasDirectory: Bool

    /// The operating system's anchors. Reading them takes some 20 ms, once in the life of the process.
    static let system = unsafe TrustStore { store in unsafe SystemAnchors.load(into: store) }

    /// These certificates and no others.
    convenience init(_ certificates: [Certificate]) {
        unsafe self.init { store in
            unsafe Self.add(certificates, to: store)
            return false
        }
    }

    /// The operating system's anchors and these certificates.
    convenience init(systemAnd certificates: [Certificate]) {
        unsafe self.init { store in
            unsafe Self.add(TrustStore.system.all + certificates, to: store)
            return unsafe SystemAnchors.loadDirectory(into: store)
        }
    }

    @unsafe private static func add(_ certificates: [Certificate], to store: OpaquePointer) {
        for certificate in certificates { unsafe X509_STORE_add_cert(store, certificate.x509.pointer) }
    }

    /// - Parameter load: fills the store, and says whether it reads a directory on demand.
    private init(_ load: (OpaquePointer) -> Bool) {
        OpenSSLError.clear()
        let store = unsafe X509_STORE_new()
        unsafe pointer = store
        hasDirectory = if let store = unsafe store { unsafe load(store) } else { false }
        OpenSSLError.clear()
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

    /// Whether there is nothing in it, nor can be.
    var isEmpty: Bool { count == 0 && !hasDirectory }

    /// Of the certificates that have been read.
    var count: Int {
        guard let pointer = unsafe pointer else { return 0 }
        return Int(max(0, unsafe tern_X509_STORE_count(pointer)))
    }
}
