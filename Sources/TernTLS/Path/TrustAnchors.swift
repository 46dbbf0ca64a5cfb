// SPDX-License-Identifier: Apache-2.0
import TernLock

/// The certificates that a chain must end in. Create the value once and copy it: the copies share one index.
///
/// Any certificate may be an anchor, not only a self-signed root: a chain that reaches it is complete (OpenSSL calls
/// this a partial chain).
public struct TrustAnchors: Sendable {
    /// Which authorities are trusted.
    public enum Source: Sendable, Hashable {
        /// Those that the operating system trusts.
        case system
        /// These alone.
        case only([X509Certificate])
        /// Those that the operating system trusts, and these.
        case systemAnd([X509Certificate])
        /// Those in a folder that `openssl rehash` has prepared, and these.
        case folder(String, and: [X509Certificate])
    }

    /// The trusted authorities, as given.
    public let source: Source
    /// The system's, where they are not those that the process began with.
    private let system: SystemTrust?
    private let lazyStore: LazyStore

    /// The operating system's certificates; see `SSL_CERT_FILE` and `SSL_CERT_DIR` in `openssl(1)`. A process reads their
    /// names once, and each session with trust in files whenever they change.
    public static let system = TrustAnchors(.system)

    /// These certificates and no others. An empty list refuses every server.
    public static func only(_ certificates: [X509Certificate]) -> TrustAnchors { TrustAnchors(.only(certificates)) }

    /// The operating system's certificates and these.
    public static func systemAnd(_ certificates: [X509Certificate]) -> TrustAnchors {
        TrustAnchors(.systemAnd(certificates))
    }

    /// The certificates in a folder, and these. As in every OpenSSL program the files are found by the hash of their
    /// subject, which `openssl rehash` gives them as names, and are read when a chain needs them; a name that a
    /// given certificate has is not looked up. A folder that cannot be read has no certificates.
    public static func folder(_ path: String, and certificates: [X509Certificate] = []) -> TrustAnchors {
        TrustAnchors(.folder(path, and: certificates))
    }

    private init(_ source: Source, _ system: SystemTrust? = nil) {
        (self.source, self.system) = (source, system)
        lazyStore = LazyStore(source, system)
    }

    /// The same with the system's anchors of another moment, where they count.
    package func with(_ system: SystemTrust) -> TrustAnchors {
        switch source {
        case .system, .systemAnd: TrustAnchors(source, system === SystemTrust.first ? nil : system)
        case .only, .folder: self
        }
    }

    /// What tells the system's anchors from others, where they count.
    package var systemDigest: [UInt8]? {
        switch source {
        case .system, .systemAnd: (system ?? .first).digest
        case .only, .folder: nil
        }
    }

    /// Builds the index now rather than at the first evaluation.
    func load() { _ = store }

    var store: TrustStore { lazyStore.value }
}

extension TrustAnchors: Hashable {
    public static func == (left: TrustAnchors, right: TrustAnchors) -> Bool {
        left.system === right.system && left.source == right.source
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(source) }
}

/// The store of a `TrustAnchors` value, built on first use.
final class LazyStore: Sendable {
    private let source: TrustAnchors.Source
    private let system: SystemTrust?
    private let built = Lock<TrustStore?>(nil)

    init(_ source: TrustAnchors.Source, _ system: SystemTrust?) { (self.source, self.system) = (source, system) }

    var value: TrustStore {
        built.withLock { built in
            if let built { return built }
            let store =
                switch source {
                case .system: (system ?? .first).store
                case .only(let certificates): TrustStore(certificates)
                case .systemAnd(let certificates): TrustStore(system ?? .first, and: certificates)
                case .folder(let path, let certificates): TrustStore(folder: path, and: certificates)
                }
            built = store
            return store
        }
    }
}
