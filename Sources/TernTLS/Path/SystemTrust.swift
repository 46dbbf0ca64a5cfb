// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import TernLock

/// The operating system's anchors at one moment: where Linux distributions store the certificates that their users trust,
/// and what was there.
///
/// `SSL_CERT_FILE` and `SSL_CERT_DIR` replace the bundle, as in every OpenSSL program; a privileged process ignores them.
package final class SystemTrust: Sendable {
    /// As they are when the process first needs them.
    package static let first = SystemTrust()

    /// Those of now: the first ones if nothing differs. A folder, which is searched when a chain is verified, counts as
    /// different. Blocks for a fraction of a millisecond.
    package static func current() -> SystemTrust {
        let current = SystemTrust()
        return current.folders == nil && current.digest == first.digest ? first : current
    }

    /// One file with all of them; the first that exists is used. OpenSSL's own path is the last resort: a statically
    /// linked OpenSSL has the path of the machine it was built on.
    private static let bundles = [
        "/etc/ssl/certs/ca-certificates.crt",  // Debian, Ubuntu, Arch, Gentoo
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // Fedora, RHEL, Amazon Linux
        "/etc/pki/tls/certs/ca-bundle.crt",  // older RHEL
        "/etc/ssl/ca-bundle.pem",  // openSUSE
        "/etc/ssl/cert.pem",  // Alpine
        unsafe String(cStringOrEmpty: X509_get_default_cert_file()),
    ]

    /// The files and folders that decide what the anchors are, whether they exist or not.
    package static var paths: [String] {
        let (file, folders) = (variable("SSL_CERT_FILE"), variable("SSL_CERT_DIR"))
        let all = file.map { [$0] } ?? (folders == nil ? bundles : [])
        return all + (folders?.split(separator: ":").map(String.init) ?? [])
    }

    /// The file; nil if none could be read.
    private let file: String?
    /// Folders to search, separated by colons; nil for none.
    private let folders: String?
    /// Whether folders are searched when a chain is verified.
    package var hasFolders: Bool { folders != nil }
    /// The same for the same bundle and folders in every process, and different for others.
    package let digest: [UInt8]
    private let content: Lock<Content>

    private enum Content {
        /// The bytes of the file, until the store is needed. To `store`.
        case bytes([UInt8])
        case store(TrustStore)
    }

    private init() {
        let named = Self.variable("SSL_CERT_FILE")
        var folders = Self.variable("SSL_CERT_DIR")
        var (file, bytes): (String?, [UInt8]) = (nil, [])
        for path in named.map({ [$0] }) ?? (folders == nil ? Self.bundles : []) where file == nil {
            bytes = Self.bytes(ofFile: path)
            if !bytes.isEmpty { file = path }
        }
        if named == nil, file == nil, folders == nil {
            folders = unsafe String(cStringOrEmpty: X509_get_default_cert_dir())
        }
        (self.file, self.folders) = (file, folders)
        content = Lock(.bytes(bytes))
        var digest = MessageDigest(.sha256)
        unsafe Array((folders ?? "").utf8 + [0]).withUnsafeBytes { unsafe digest.update($0) }
        unsafe bytes.withUnsafeBytes { unsafe digest.update($0) }
        self.digest = digest.finish() ?? []
    }

    private static func variable(_ name: String) -> String? {
        guard let value = unsafe tern_environment(name) else { return nil }
        return unsafe String(cString: value)
    }

    /// Empty if it cannot be read.
    private static func bytes(ofFile path: String) -> [UInt8] {
        OpenSSLError.clear()
        defer { OpenSSLError.clear() }
        guard !path.isEmpty, !path.utf8.contains(0), let bio = unsafe BIO_new_file(path, "r") else { return [] }
        defer { unsafe BIO_free(bio) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe BIO_read(bio, &chunk, Int32(chunk.count))
            guard count > 0 else { return bytes }
            bytes += chunk.prefix(Int(count))
        }
    }

    /// The certificates, of which only the names are read: in one to a few milliseconds, once.
    var store: TrustStore {
        content.withLock { content in
            switch content {
            case .store(let store): return store
            case .bytes(let bytes):
                let store = unsafe TrustStore { store in unsafe load(bytes, into: store) }
                content = .store(store)
                return store
            }
        }
    }

    /// Returns what the store has yet to read.
    @unsafe private func load(_ bytes: [UInt8], into store: OpaquePointer) -> TrustStore.Later {
        var later = TrustStore.Later()
        if let bundle = AnchorBundle(pem: bytes), unsafe bundle.attach(to: store) {
            later.bundle = bundle
        } else if let file {
            unsafe X509_STORE_load_file(store, file)
        }
        later.hasFolder = unsafe loadFolders(into: store)
        return later
    }

    /// False if there are none.
    @unsafe func loadFolders(into store: OpaquePointer) -> Bool {
        guard let folders else { return false }
        unsafe X509_STORE_load_path(store, folders)
        return true
    }
}
