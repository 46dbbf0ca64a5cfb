// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernFiles
import TernIO
import TernTLS

/// What was read from the files of a session's trust.
struct TrustMaterial: Sendable {
    private let order: [TrustFilePaths.Part]
    private var contents: [TrustFilePaths.Part: TrustFileContent] = [:]

    init(of parts: [TrustFilePart]) { order = parts.map(\.part) }

    /// Reads a part anew, and tells whether it is another than before. Blocks. After an error the part is what it was.
    mutating func read(_ part: TrustFilePart) throws(TrustFileError) -> Bool {
        let content = try part.read()
        defer { contents[part.part] = content }
        return contents[part.part] != content
    }

    /// These settings with what was read in the place of their own.
    func applied(to settings: TLSSettings) -> TrustOfFiles {
        var trust = TrustOfFiles(tls: settings)
        for part in order { contents[part]?.apply(&trust) }
        return trust
    }

    /// What ends some day, in order.
    var endings: [TrustFiles.Ending] {
        order.flatMap { part -> [TrustFiles.Ending] in
            guard let value = contents[part]?.value else { return [] }
            let ofCertificates = value.certificates.compactMap { certificate in
                certificate.notAfter.map { TrustFiles.Ending(part: part, certificate: certificate, time: $0) }
            }
            return ofCertificates + (value.validUntil.map { [TrustFiles.Ending(part: part, time: $0)] } ?? [])
        }
    }

    /// What was left out of a part's files.
    func skipped(of part: TrustFilePaths.Part) -> [String] { contents[part]?.value.skipped ?? [] }
}

/// What files decide about a session.
struct TrustOfFiles: Sendable {
    var tls: TLSSettings
    /// The system's anchors, wherever they count.
    var system: SystemTrust?
    private var hasIdentity = false
    /// Those of single hosts.
    private(set) var identities: [ClientIdentity] = []
    var policy: PolicyFile?
    var proxyAnchors: TrustAnchors?
    var proxyPolicy: PolicyFile?

    init(tls: TLSSettings) { self.tls = tls }

    /// The first without hosts is that of servers without one of their own.
    mutating func add(_ identity: ClientIdentity) {
        if identity.hosts != nil {
            identities.append(identity)
        } else if !hasIdentity {
            (tls.identity, hasIdentity) = (identity, true)
        }
    }
}

/// A part of trust that has files: how they are read, and what becomes of that.
struct TrustFilePart: Sendable {
    let part: TrustFilePaths.Part
    let paths: [String]
    /// Reads the files. Blocks.
    fileprivate let read: @Sendable () throws(TrustFileError) -> TrustFileContent

    init<Value: TrustFileValue>(
        _ part: TrustFilePaths.Part, _ urls: [URL?] = [], paths: [String] = [],
        _ read: @escaping @Sendable (FilesOfPart) throws(TrustFileError) -> Value,
        apply: @escaping @Sendable (inout TrustOfFiles, Value) -> Void
    ) {
        let paths = urls.compactMap { $0?.path(percentEncoded: false) } + paths
        (self.part, self.paths) = (part, paths)
        self.read = { () throws(TrustFileError) in
            let value = try read(FilesOfPart(part: part, paths: paths))
            return TrustFileContent(value: value) { apply(&$0, value) }
        }
    }
}

/// What the files of a part contain.
protocol TrustFileValue: Hashable, Sendable {
    /// Those whose expiry matters.
    var certificates: [X509Certificate] { get }
    /// When a newer file should have replaced this one; nil for never.
    var validUntil: Int64? { get }
    /// What could not be read and was left out, as sentences.
    var skipped: [String] { get }
}

extension TrustFileValue {
    var certificates: [X509Certificate] { [] }
    var validUntil: Int64? { nil }
    var skipped: [String] { [] }
}

extension Array: TrustFileValue where Element: TrustFileValue {
    var certificates: [X509Certificate] { flatMap(\.certificates) }
}

extension X509Certificate: TrustFileValue { var certificates: [X509Certificate] { [self] } }
extension ClientIdentity: TrustFileValue {}
extension CertificateRevocationList: TrustFileValue {}
extension DistrustedCertificates: TrustFileValue {}
extension TransparencyLogList: TrustFileValue {
    var validUntil: Int64? { time.map { $0 &+ TransparencyPolicy.usualListAge } }
}

extension PolicyFile: TrustFileValue {}
extension SPIFFEBundle: TrustFileValue { var certificates: [X509Certificate] { authorities } }

/// The system's anchors, and what the paths of them were.
struct SystemTrustValue: TrustFileValue {
    let system: SystemTrust
    private let stamps: [FileStamp]

    init(_ system: SystemTrust, at paths: [String]) {
        (self.system, stamps) = (system, paths.map(FileStamp.init(of:)))
    }

    /// A folder is searched when a chain is verified: another one, or a changed one, is another value.
    static func == (left: Self, right: Self) -> Bool {
        left.system.digest == right.system.digest && (!left.system.hasFolders || left.stamps == right.stamps)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(system.digest) }
}

private struct TrustFileContent: Sendable, Equatable {
    let value: any TrustFileValue
    let apply: @Sendable (inout TrustOfFiles) -> Void

    static func == (left: Self, right: Self) -> Bool { AnyHashable(left.value) == AnyHashable(right.value) }
}

/// The files of one part, and how they are read. Each function blocks, and its error names the file.
struct FilesOfPart: Sendable {
    let part: TrustFilePaths.Part
    let paths: [String]

    static func anchors(_ files: FilesOfPart) throws(TrustFileError) -> [X509Certificate] {
        try files.read(files.paths[0], isPEM: true, X509Certificate.all(inPEM:)) { .certificate($0) }
    }

    /// A file that is just being written, or gone for a moment, is an error: what was read before stays.
    static func system(_ files: FilesOfPart) throws(TrustFileError) -> SystemTrustValue {
        if let file = files.paths.first(where: { FileStatus(of: $0)?.kind == .regular }) {
            _ = try files.bytes(file, isPEM: true)
        } else if !files.paths.contains(where: { FileStatus(of: $0)?.kind == .folder }) {
            throw TrustFileError(files.part, files.paths[0], .unreadable(.missingFile))
        }
        return SystemTrustValue(.current(), at: files.paths)
    }

    static func lists(_ files: FilesOfPart) throws(TrustFileError) -> [CertificateRevocationList] {
        var lists: [CertificateRevocationList] = []
        for file in files.paths {
            lists += try files.read(file, limit: maximumListSize, isPEM: true, CertificateRevocationList.all(in:)) {
                .revocationList($0)
            }
        }
        return lists
    }

    static func distrusted(_ files: FilesOfPart) throws(TrustFileError) -> DistrustedCertificates {
        var all = DistrustedCertificates.none
        for file in files.paths {
            all = all.union(
                try files.read(file, DistrustedCertificates.init(contents:)) { .distrustedCertificates($0) })
        }
        return all
    }

    static func bundles(_ files: FilesOfPart) throws(TrustFileError) -> [SPIFFEBundle] {
        var bundles: [SPIFFEBundle] = []
        for file in files.paths {
            bundles.append(try files.read(file, SPIFFEBundle.init(contents:)) { .spiffeBundle($0) })
        }
        return bundles
    }

    static func policy(_ files: FilesOfPart) throws(TrustFileError) -> PolicyFile {
        try files.policy(signedBy: nil)
    }

    func identity(_ identity: TrustFilePaths.Identity) throws(TrustFileError) -> ClientIdentity {
        let (file, keyFile) = (paths[0], paths[paths.count - 1])
        let certificates = try bytes(file, isPEM: true)
        let key = paths.count > 1 ? try bytes(keyFile, isPEM: true) : nil
        var read: ClientIdentity
        do throws(ClientIdentityError) {
            read = try ClientIdentity(pem: certificates, privateKeyPEM: key, passphrase: identity.passphrase?())
        } catch {
            let isOfCertificates = if case .certificate = error.reason { true } else { false }
            throw TrustFileError(part, isOfCertificates ? file : keyFile, .identity(error))
        }
        read.hosts = identity.hosts
        do throws(TLSError) {
            var settings = TLSSettings()
            (settings.anchors, settings.identity) = (.only([]), read)
            _ = try TLSContext(settings)
        } catch {
            throw TrustFileError(part, file, .unusable(error))
        }
        return read
    }

    /// - Parameter key: that of the signature, if there is a file of it.
    func policy(signedBy proof: TrustFilePaths.PolicySignature?) throws(TrustFileError) -> PolicyFile {
        let signature = paths.count > 1 ? try bytes(paths[1]) : nil
        return try read(paths[0]) { json throws(PolicyFileError) in
            guard let proof, let signature else { return try PolicyFile(json: json) }
            let policy = try PolicyFile(json: json, signature: signature, publicKey: proof.publicKey)
            if let file = proof.numberFile { try policy.keepNumber(in: file.path(percentEncoded: false)) }
            return policy
        } _: {
            .policy($0)
        }
    }

    func logs(signedBy key: [UInt8]) throws(TrustFileError) -> TransparencyLogList {
        let signature = paths.count > 1 ? try bytes(paths[1]) : nil
        return try read(paths[0]) { json throws(PolicyFileError) in
            guard let signature else { return try TransparencyLogList(json: json) }
            return try TransparencyLogList(json: json, signature: signature, publicKey: key)
        } _: {
            .transparencyLogs($0)
        }
    }

    private static let maximumSize = 16 * 1024 * 1024
    private static let maximumListSize = 256 * 1024 * 1024

    private func read<Value, Failure>(
        _ file: String, limit: Int = maximumSize, isPEM: Bool = false, _ read: ([UInt8]) throws(Failure) -> Value,
        _ reason: (Failure) -> TrustFileError.Reason
    ) throws(TrustFileError) -> Value {
        let bytes = try bytes(file, limit: limit, isPEM: isPEM)
        do throws(Failure) { return try read(bytes) } catch { throw TrustFileError(part, file, reason(error)) }
    }

    private func bytes(
        _ file: String, limit: Int = maximumSize, isPEM: Bool = false
    ) throws(TrustFileError) -> [UInt8] {
        if let status = FileStatus(of: file), status.kind != .regular {
            throw TrustFileError(part, file, .notRegularFile)
        }
        let content: [UInt8]?
        do throws(SystemCallError) {
            content = try FileContent.read(file, limit: limit)
        } catch {
            throw TrustFileError(part, file, .unreadable(error))
        }
        guard let content else { throw TrustFileError(part, file, .unreadable(.missingFile)) }
        if content.isEmpty { throw TrustFileError(part, file, .empty) }
        // DER begins with a SEQUENCE tag, which no text begins with.
        if isPEM, content.first != 0x30, !Self.isWhole(content) { throw TrustFileError(part, file, .truncated) }
        return content
    }

    /// Whether no block of the text is cut off. OpenSSL takes a cut `BEGIN` line for text, and the file for one with a
    /// certificate less.
    static func isWhole(_ pem: [UInt8]) -> Bool {
        let lines = pem.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
        var isWithinBlock = false
        for line in lines where line.first == UInt8(ascii: "-") {
            let end = line.reversed().drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            if line.starts(with: begin) { isWithinBlock = true }
            if line.starts(with: "-----END ".utf8), end.starts(with: "-----".utf8) { isWithinBlock = false }
        }
        return !isWithinBlock && !(lines.last.map { begin.starts(with: $0) } ?? false)
    }

    private static let begin = Array("-----BEGIN ".utf8)
}

/// What a file was at one moment: another file, or another content, differs.
struct FileStamp: Sendable, Hashable {
    private let resolved: String?
    private let status: FileStatus?

    /// Blocks.
    init(of path: String) {
        resolved = FilePath.resolved(path)
        status = FileStatus(of: path)
    }
}

/// Uses trust that is read from files.
protocol TrustMaterialUser: AnyObject, Sendable {
    /// Replaces what has changed. Blocks, and calls nothing of the user's. After an error nothing is replaced.
    func replaceTrust(with material: TrustMaterial, changed: Set<TrustFilePaths.Part>) throws(TLSError)
}
