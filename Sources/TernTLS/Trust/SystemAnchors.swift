// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// Where Linux distributions keep the certificates their users trust.
enum SystemAnchors {
    /// One file with all of them; the first that exists wins. OpenSSL's own idea of the place is the last resort: a
    /// statically linked OpenSSL carries the path of the machine it was built on.
    private static let bundles = [
        "/etc/ssl/certs/ca-certificates.crt",  // Debian, Ubuntu, Arch, Gentoo
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // Fedora, RHEL, Amazon Linux
        "/etc/pki/tls/certs/ca-bundle.crt",  // older RHEL
        "/etc/ssl/ca-bundle.pem",  // openSUSE
        "/etc/ssl/cert.pem",  // Alpine
    ]

    /// `SSL_CERT_FILE` and `SSL_CERT_DIR` replace the bundle, as in every OpenSSL program; a privileged process
    /// ignores them. True if certificates are read from a directory, when an issuer is looked for.
    @unsafe static func load(into store: OpaquePointer) -> Bool {
        let file = unsafe tern_environment("SSL_CERT_FILE")
        if let file = unsafe file { unsafe X509_STORE_load_file(store, file) }
        let hasDirectory = unsafe loadDirectory(into: store)
        if unsafe file != nil || hasDirectory { return hasDirectory }
        for bundle in bundles where unsafe X509_STORE_load_file(store, bundle) == 1 { return false }
        return unsafe X509_STORE_set_default_paths(store) == 1
    }

    /// Adds what `SSL_CERT_DIR` names; false if it is not set.
    @unsafe static func loadDirectory(into store: OpaquePointer) -> Bool {
        guard let directory = unsafe tern_environment("SSL_CERT_DIR") else { return false }
        unsafe X509_STORE_load_path(store, directory)
        return true
    }
}
