// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// Where Linux distributions store the certificates their users trust, and which of them a store has yet to read.
struct SystemAnchors: Sendable {
    /// The file to read certificates from when an issuer is looked up.
    var bundle: AnchorBundle?
    /// Whether a directory is searched as well.
    var hasDirectory = false

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
    @unsafe static func loadDirectory(into store: OpaquePointer) -> Bool {
        guard let directory = unsafe tern_environment("SSL_CERT_DIR") else { return false }
        unsafe X509_STORE_load_path(store, directory)
        return true
    }
}
