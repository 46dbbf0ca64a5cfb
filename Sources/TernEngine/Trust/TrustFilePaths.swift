// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
public import TernTLS

/// The files that the trust of a session is read from; what has no file stays as the session's configuration has it.
public struct TrustFilePaths: Sendable {
    /// A PEM file of anchors, and whether the operating system's count, too.
    public enum Anchors: Sendable, Hashable {
        /// These alone, as ``TernTLS/TrustAnchors/only(_:)``.
        case only(URL)
        /// The operating system's, and these, as ``TernTLS/TrustAnchors/systemAnd(_:)``.
        case systemAnd(URL)

        /// The file.
        public var file: URL {
            switch self {
            case .only(let file), .systemAnd(let file): file
            }
        }
    }

    /// The PEM files of a client's certificate and of its key.
    public struct Identity: Sendable {
        /// The certificates in the order they are sent, the key's own first.
        public var certificates: URL
        /// The key; nil if the file of the certificates contains it.
        public var privateKey: URL?
        /// The servers that may receive the certificate; nil for those that no other identity names. See
        /// ``TernTLS/ClientIdentity/hosts``.
        public var hosts: [HostPattern]?
        /// Returns what decrypts the key, whenever it is read, on a thread that may block; nil for a key that is not
        /// encrypted.
        public var passphrase: (@Sendable () -> String?)?

        /// Names the files of an identity.
        public init(certificates: URL, privateKey: URL? = nil, hosts: [HostPattern]? = nil) {
            self.certificates = certificates
            self.privateKey = privateKey
            self.hosts = hosts
        }
    }

    /// The file of a list of certificate logs, and what proves it.
    public struct TransparencyLogs: Sendable {
        /// The list, such as `log_list.json`.
        public var list: URL
        /// The file of its signature; nil for a list that is not signed.
        public var signature: URL?
        /// The contents of the key's file, which the signature is verified with.
        public var publicKey: [UInt8] = []

        /// Names a list that is not signed.
        public init(list: URL) { self.list = list }

        /// Names a list that counts only with its signature; see
        /// ``TernTLS/TransparencyLogList/init(json:signature:publicKey:)``.
        public init(list: URL, signature: URL, publicKey: some Sequence<UInt8>) {
            let publicKey = Array(publicKey)
            (self.list, self.signature, self.publicKey) = (list, signature, publicKey)
        }
    }

    /// What proves that a policy is the operator's, and no old one; see
    /// ``PolicyFile/init(contentsOf:signature:publicKey:numberFile:)``.
    public struct PolicySignature: Sendable {
        /// The file of the signature.
        public var file: URL
        /// The contents of the key's file, which the signature is verified with.
        public var publicKey: [UInt8]
        /// Where the number of the last policy is kept; nil accepts any number.
        public var numberFile: URL?

        /// Names a signature.
        public init(file: URL, publicKey: some Sequence<UInt8>, numberFile: URL? = nil) {
            let publicKey = Array(publicKey)
            (self.file, self.publicKey, self.numberFile) = (file, publicKey, numberFile)
        }
    }

    /// What is read from files, and replaced as a whole.
    public enum Part: Sendable, Hashable {
        /// ``TrustFilePaths/anchors-swift.property``.
        case anchors
        /// The operating system's anchors: ``TrustFilePaths/systemAnchors``.
        case systemAnchors
        /// An element of ``TrustFilePaths/identities``, counted from 0.
        case identity(Int)
        /// ``TrustFilePaths/revocationLists``, all of them.
        case revocationLists
        /// ``TrustFilePaths/distrustedCertificates``, all of them.
        case distrustedCertificates
        /// ``TrustFilePaths/transparencyLogs-swift.property``.
        case transparencyLogs
        /// ``TrustFilePaths/spiffeBundles``, all of them.
        case spiffeBundles
        /// ``TrustFilePaths/policy``.
        case policy
        /// ``TrustFilePaths/proxyAnchors``.
        case proxyAnchors
        /// ``TrustFilePaths/proxyPolicy``.
        case proxyPolicy
    }

    /// The anchors in place of ``TernTLS/TLSSettings/anchors``.
    public var anchors: Anchors?
    /// Whether the operating system's anchors are read anew when its bundle, or what `SSL_CERT_FILE` and `SSL_CERT_DIR` name,
    /// changes: a root that an update removes is trusted no more, and one that it adds is, without a restart. Otherwise
    /// they are those that the process began with. It has no effect where neither origins nor proxies use them.
    public var systemAnchors = true
    /// The client's certificates. The first without hosts is in the place of ``TernTLS/TLSSettings/identity``. One with
    /// hosts comes before it for these; one of a ``CredentialStorage`` comes before both.
    public var identities: [Identity] = []
    /// Files of revocation lists in PEM or DER, in the place of ``TernTLS/TLSSettings/revocationLists``.
    public var revocationLists: [URL] = []
    /// Files of certificates that must not be trusted, OneCRL's or Chromium's, together in the place of
    /// ``TernTLS/TLSSettings/distrustedCertificates``.
    public var distrustedCertificates: [URL] = []
    /// The list of certificate logs in the place of ``TernTLS/TLSSettings/transparencyLogs``.
    public var transparencyLogs: TransparencyLogs?
    /// The bundles of trust domains, in the place of ``TernTLS/TLSSettings/spiffeBundles``: SPIFFE's JSON, or PEM.
    public var spiffeBundles: [SPIFFEID.TrustDomain: URL] = [:]
    /// A ``PolicyFile``, which is in the place of the session's trust policies. The program's own replace it until the
    /// file changes.
    public var policy: URL?
    /// What proves ``policy``; nil for a policy that is not signed.
    public var policySignature: PolicySignature?
    /// The anchors of proxies; nil for those of ``SessionConfiguration/proxyTLS``, or else of origins.
    public var proxyAnchors: Anchors?
    /// A ``PolicyFile`` in the place of ``SessionConfiguration/proxyTrustPolicyManager``.
    public var proxyPolicy: URL?

    /// Names no file.
    public init() {}

    /// The table of all parts: a new kind of file is a row here. In this order they are read, and take effect.
    var parts: [TrustFilePart] {
        let identities = identities.enumerated().map { index, paths in
            TrustFilePart(.identity(index), [paths.certificates, paths.privateKey]) { files throws(TrustFileError) in
                try files.identity(paths)
            } apply: {
                $0.add($1)
            }
        }
        let given = [anchors, proxyAnchors ?? anchors]
        let usesSystem = systemAnchors && !given.allSatisfy { if case .only? = $0 { true } else { false } }
        let domains = spiffeBundles.sorted { $0.key.name < $1.key.name }
        let rows =
            [
                TrustFilePart(.anchors, [anchors?.file], FilesOfPart.anchors) {
                    $0.tls.anchors = Self.anchors($1, like: anchors)
                }
            ] + identities + [
                TrustFilePart(.systemAnchors, paths: usesSystem ? SystemTrust.paths : [], FilesOfPart.system) {
                    $0.system = $1.system
                },
                TrustFilePart(.revocationLists, revocationLists, FilesOfPart.lists) { $0.tls.revocationLists = $1 },
                TrustFilePart(.distrustedCertificates, distrustedCertificates, FilesOfPart.distrusted) {
                    $0.tls.distrustedCertificates = $1
                },
                TrustFilePart(.transparencyLogs, [transparencyLogs?.list, transparencyLogs?.signature]) {
                    files throws(TrustFileError) in
                    try files.logs(signedBy: transparencyLogs?.publicKey ?? [])
                } apply: {
                    $0.tls.transparencyLogs = $1
                },
                TrustFilePart(.spiffeBundles, domains.map(\.value), FilesOfPart.bundles) {
                    $0.tls.spiffeBundles = Dictionary(uniqueKeysWithValues: zip(domains.map(\.key), $1))
                },
                TrustFilePart(.policy, [policy, policySignature?.file]) { files throws(TrustFileError) in
                    try files.policy(signedBy: policySignature)
                } apply: {
                    $0.policy = $1
                },
                TrustFilePart(.proxyAnchors, [proxyAnchors?.file], FilesOfPart.anchors) {
                    $0.proxyAnchors = Self.anchors($1, like: proxyAnchors)
                },
                TrustFilePart(.proxyPolicy, [proxyPolicy], FilesOfPart.policy) { $0.proxyPolicy = $1 },
            ]
        return rows.filter { !$0.paths.isEmpty }
    }

    private static func anchors(_ certificates: [X509Certificate], like paths: Anchors?) -> TrustAnchors {
        if case .systemAnd? = paths { .systemAnd(certificates) } else { .only(certificates) }
    }
}

extension TrustFilePaths.Part: CustomStringConvertible {
    /// For example "anchors" or "identity 1", counted from 1.
    public var description: String {
        switch self {
        case .anchors: "anchors"
        case .systemAnchors: "anchors of the system"
        case .identity(let index): "identity \(index + 1)"
        case .revocationLists: "revocation lists"
        case .distrustedCertificates: "distrusted certificates"
        case .transparencyLogs: "list of certificate logs"
        case .spiffeBundles: "bundles of trust domains"
        case .policy: "policy"
        case .proxyAnchors: "anchors of proxies"
        case .proxyPolicy: "policy of proxies"
        }
    }
}

/// Why a file does not replace what was read before.
public struct TrustFileError: Error, Sendable, Hashable {
    /// The kind of error.
    public enum Reason: Sendable, Hashable {
        /// The file does not exist, or cannot be read.
        case unreadable(SystemCallError)
        /// The path leads to a folder, a device or the like.
        case notRegularFile
        /// There is nothing in the file.
        case empty
        /// The text ends within a PEM block.
        case truncated
        /// The anchors cannot be read.
        case certificate(CertificateError)
        /// The certificates or the key cannot be read, or do not fit.
        case identity(ClientIdentityError)
        /// A revocation list cannot be read.
        case revocationList(RevocationError)
        /// A list of distrusted certificates has an error.
        case distrustedCertificates(DistrustedCertificatesError)
        /// The list of certificate logs has an error, or not this signature.
        case transparencyLogs(PolicyFileError)
        /// The bundle of a trust domain has an error.
        case spiffeBundle(PolicyFileError)
        /// The policy has an error.
        case policy(PolicyFileError)
        /// TLS cannot use it: an identity with a weak key, say.
        case unusable(TLSError)
    }

    /// What the file is for.
    public let part: TrustFilePaths.Part
    /// The path of the file.
    public let file: String
    /// The kind of error.
    public let reason: Reason

    init(_ part: TrustFilePaths.Part, _ file: String, _ reason: Reason) {
        self.part = part
        self.file = file
        self.reason = reason
    }
}

extension TrustFileError: CustomStringConvertible {
    /// For example "anchors, /etc/app/ca.pem: the file is empty".
    public var description: String { "\(part), \(file): \(reason)" }
}

extension TrustFileError.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreadable(let error): "cannot be read: \(error)"
        case .notRegularFile: "not a regular file"
        case .empty: "the file is empty"
        case .truncated: "the file ends within a PEM block"
        case .certificate(let error): "\(error)"
        case .identity(let error): "\(error)"
        case .revocationList(let error): "\(error)"
        case .distrustedCertificates(let error): "\(error)"
        case .transparencyLogs(let error): "\(error)"
        case .spiffeBundle(let error): "\(error)"
        case .policy(let error): "\(error)"
        case .unusable(let error): "\(error)"
        }
    }
}
