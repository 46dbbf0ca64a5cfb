// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// An `X509_STORE`: the anchors of chains, indexed by subject.
///
/// Safety: the pointer is owned and freed once in `deinit`; lookups, which may add certificates, take the store's own
/// lock.
@safe final class TrustStore: @unchecked Sendable {
    /// Nil only if out of memory; every chain is refused then.
    let pointer: OpaquePointer?
    /// Certificates that can be looked up but have not been read, and are not among the store's objects.
    private let later: Later

    struct Later: Sendable {
        /// The file to read certificates from when an issuer is looked up.
        var bundle: AnchorBundle?
        /// Whether a folder is searched as well.
        var hasFolder = false
    }

    /// These certificates and no others.
    convenience init(_ certificates: [X509Certificate]) {
        unsafe self.init { store in
            unsafe Self.add(certificates, to: store)
            return Later()
        }
    }

    /// The operating system's anchors and these certificates.
    convenience init(_ system: SystemTrust, and certificates: [X509Certificate]) {
        let own = system.store
        unsafe self.init { store in
            var later = Later()
            if let bundle = own.later.bundle, unsafe bundle.attach(to: store) {
                later.bundle = bundle
                // A name that the store has is not looked up: the system's anchors of these names must be added, too.
                for certificate in certificates {
                    let name = unsafe X509_get_subject_name(certificate.x509.pointer)
                    unsafe Self.add(bundle.certificates(named: name), to: store)
                }
            } else {
                unsafe Self.add(own.all, to: store)
            }
            unsafe Self.add(certificates, to: store)
            later.hasFolder = unsafe system.loadFolders(into: store)
            return later
        }
    }

    /// The certificates in a folder, found by the hash of their subject, and these.
    convenience init(folder path: String, and certificates: [X509Certificate]) {
        unsafe self.init { store in
            unsafe Self.add(certificates, to: store)
            var later = Later()
            later.hasFolder = unsafe !path.utf8.contains(0) && X509_STORE_load_path(store, path) == 1
            return later
        }
    }

    @unsafe private static func add(_ certificates: [X509Certificate], to store: OpaquePointer) {
        for certificate in certificates { unsafe X509_STORE_add_cert(store, certificate.x509.pointer) }
    }

    /// - Parameter load: fills the store, and returns the source it reads on demand.
    init(_ load: (OpaquePointer) -> Later) {
        OpenSSLError.clear()
        let store = unsafe X509_STORE_new()
        unsafe pointer = store
        later = if let store = unsafe store { unsafe load(store) } else { Later() }
        OpenSSLError.clear()
    }

    /// All except those in directories. Other objects, such as revocation lists, are skipped.
    var all: [X509Certificate] {
        guard let pointer = unsafe pointer else { return [] }
        if let bundle = later.bundle { unsafe Self.add(bundle.all, to: pointer) }
        // A lookup by another thread may sort the list it finds.
        unsafe X509_STORE_lock(pointer)
        defer { unsafe X509_STORE_unlock(pointer) }
        return (0..<Int32(clamping: countRead)).compactMap { index in
            unsafe tern_X509_STORE_at(pointer, index).map { X509Certificate(unsafe X509Reference(retaining: $0)) }
        }
    }

    func contains(_ certificate: X509Certificate) -> Bool {
        unsafe certificates(named: X509_get_subject_name(certificate.x509.pointer)).contains(certificate)
    }

    /// The anchors with the name of the certificate's issuer. Whether one of them signed it is checked separately.
    func certificates(issuing certificate: X509Certificate) -> [X509Certificate] {
        unsafe certificates(named: X509_get_issuer_name(certificate.x509.pointer))
    }

    @unsafe private func certificates(named name: OpaquePointer?) -> [X509Certificate] {
        guard let pointer = unsafe pointer, let context = unsafe X509_STORE_CTX_new() else { return [] }
        defer { unsafe X509_STORE_CTX_free(context) }
        guard unsafe X509_STORE_CTX_init(context, pointer, nil, nil) == 1,
            let found = unsafe X509_STORE_CTX_get1_certs(context, name)
        else { return [] }
        defer { unsafe tern_X509_stack_release(found) }
        return unsafe X509Certificate.copies(of: found)
    }

    deinit { unsafe X509_STORE_free(pointer) }

    /// Whether the store is empty and has no source.
    var isEmpty: Bool { countRead == 0 && later.bundle == nil && !later.hasFolder }

    private var countRead: Int {
        guard let pointer = unsafe pointer else { return 0 }
        return Int(max(0, unsafe tern_X509_STORE_count(pointer)))
    }
}
