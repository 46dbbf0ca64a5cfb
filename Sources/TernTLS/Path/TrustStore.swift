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
    private let later: SystemAnchors

    /// The operating system's anchors: their names are read once per process, in one to a few milliseconds.
    static let system = unsafe TrustStore { store in unsafe SystemAnchors.load(into: store) }

    /// These certificates and no others.
    convenience init(_ certificates: [X509Certificate]) {
        unsafe self.init { store in
            unsafe Self.add(certificates, to: store)
            return SystemAnchors()
        }
    }

    /// The operating system's anchors and these certificates.
    convenience init(systemAnd certificates: [X509Certificate]) {
        let system = TrustStore.system
        unsafe self.init { store in
            var later = SystemAnchors()
            if let bundle = system.later.bundle, unsafe bundle.attach(to: store) {
                later.bundle = bundle
                // A name that the store has is not looked up: the system's anchors of these names must be added, too.
                for certificate in certificates {
                    let name = unsafe X509_get_subject_name(certificate.x509.pointer)
                    unsafe Self.add(bundle.certificates(named: name), to: store)
                }
            } else {
                unsafe Self.add(system.all, to: store)
            }
            unsafe Self.add(certificates, to: store)
            later.hasDirectory = unsafe SystemAnchors.loadDirectory(into: store)
            return later
        }
    }

    /// The certificates in a folder, found by the hash of their subject, and these.
    convenience init(folder path: String, and certificates: [X509Certificate]) {
        unsafe self.init { store in
            unsafe Self.add(certificates, to: store)
            var later = SystemAnchors()
            later.hasDirectory = unsafe !path.utf8.contains(0) && X509_STORE_load_path(store, path) == 1
            return later
        }
    }

    @unsafe private static func add(_ certificates: [X509Certificate], to store: OpaquePointer) {
        for certificate in certificates { unsafe X509_STORE_add_cert(store, certificate.x509.pointer) }
    }

    /// - Parameter load: fills the store, and returns the source it reads on demand.
    private init(_ load: (OpaquePointer) -> SystemAnchors) {
        OpenSSLError.clear()
        let store = unsafe X509_STORE_new()
        unsafe pointer = store
        later = if let store = unsafe store { unsafe load(store) } else { SystemAnchors() }
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
    var isEmpty: Bool { countRead == 0 && later.bundle == nil && !later.hasDirectory }

    private var countRead: Int {
        guard let pointer = unsafe pointer else { return 0 }
        return Int(max(0, unsafe tern_X509_STORE_count(pointer)))
    }
}

/// Where Linux distributions store the certificates their users trust, and which of them a store has yet to read.
struct SystemAnchors: Sendable {
    /// The file to read certificates from when an issuer is looked up.
    var bundle: AnchorBundle?
    /// Whether a directory is searched as well.
    fileprivate var hasDirectory = false

    /// One file with all of them; the first that exists is used. OpenSSL's own path is the last resort: a statically
    /// linked OpenSSL has the path of the machine it was built on.
    private static let bundles = [
        "/etc/ssl/certs/ca-certificates.crt",  // Debian, Ubuntu, Arch, Gentoo
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // Fedora, RHEL, Amazon Linux
        "/etc/pki/tls/certs/ca-bundle.crt",  // older RHEL
        "/etc/ssl/ca-bundle.pem",  // openSUSE
        "/etc/ssl/cert.pem",  // Alpine
    ]

    /// `SSL_CERT_FILE` and `SSL_CERT_DIR` replace the bundle, as in every OpenSSL program; a privileged process
    /// ignores them.
    @unsafe static func load(into store: OpaquePointer) -> SystemAnchors {
        var anchors = SystemAnchors()
        let file = unsafe tern_environment("SSL_CERT_FILE")
        if let file = unsafe file { unsafe anchors.load(file, into: store) }
        anchors.hasDirectory = unsafe loadDirectory(into: store)
        if unsafe file != nil || anchors.hasDirectory { return anchors }
        for bundle in bundles where unsafe anchors.load(bundle, into: store) { return anchors }
        anchors.hasDirectory = unsafe X509_STORE_set_default_paths(store) == 1
        return anchors
    }

    /// False if there is no certificate to load.
    @discardableResult @unsafe
    private mutating func load(_ file: UnsafePointer<CChar>, into store: OpaquePointer) -> Bool {
        if let bundle = unsafe AnchorBundle(file: file), unsafe bundle.attach(to: store) {
            self.bundle = bundle
            return true
        }
        return unsafe X509_STORE_load_file(store, file) == 1
    }

    /// Adds the directories in `SSL_CERT_DIR`; false if it is not set.
    @unsafe fileprivate static func loadDirectory(into store: OpaquePointer) -> Bool {
        guard let directory = unsafe tern_environment("SSL_CERT_DIR") else { return false }
        unsafe X509_STORE_load_path(store, directory)
        return true
    }
}
