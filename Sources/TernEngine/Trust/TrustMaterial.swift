// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernFiles
import TernIO
import TernTLS

/// What was read from the files of a session's trust; nil for what has no file.
struct TrustMaterial: Sendable, Hashable {
    typealias Part = TrustFilePaths.Part

    private(set) var anchors: TrustAnchors?
    /// By their place among the paths.
    private var allIdentities: [Int: ClientIdentity] = [:]
    private(set) var revocationLists: [CertificateRevocationList]?
    private(set) var transparencyLogs: TransparencyLogList?
    private(set) var policy: PolicyFile?
    private(set) var proxyAnchors: TrustAnchors?
    private(set) var proxyPolicy: PolicyFile?

    private var identities: [ClientIdentity] { allIdentities.sorted { $0.key < $1.key }.map(\.value) }

    /// The identity of servers without one of their own.
    var identity: ClientIdentity? { identities.first { $0.hosts == nil } }

    /// The identities of single hosts.
    var identitiesOfHosts: [ClientIdentity] { identities.filter { $0.hosts != nil } }

    /// The certificates whose expiry matters, in order.
    var certificates: [(part: Part, certificate: X509Certificate)] {
        var all = (anchors?.given ?? []).map { (part: Part.anchors, certificate: $0) }
        for (index, identity) in allIdentities.sorted(by: { $0.key < $1.key }) {
            all += identity.certificates.map { (.identity(index), $0) }
        }
        return all + (proxyAnchors?.given ?? []).map { (.proxyAnchors, $0) }
    }

    /// Reads a part anew. Blocks. After an error the part is what it was.
    mutating func read(_ part: Part, from paths: TrustFilePaths) throws(TrustFileError) {
        switch part {
        case .anchors: anchors = try Self.anchors(part, paths.anchors)
        case .identity(let index):
            guard paths.identities.indices.contains(index) else { return }
            allIdentities[index] = try Self.identity(part, paths.identities[index])
        case .revocationLists: revocationLists = try Self.lists(paths)
        case .transparencyLogs: transparencyLogs = try Self.logs(part, paths.transparencyLogs)
        case .policy: policy = try Self.policy(part, paths.policy?.path(percentEncoded: false))
        case .proxyAnchors: proxyAnchors = try Self.anchors(part, paths.proxyAnchors)
        case .proxyPolicy: proxyPolicy = try Self.policy(part, paths.proxyPolicy?.path(percentEncoded: false))
        }
    }

    private static func anchors(
        _ part: Part, _ anchors: TrustFilePaths.Anchors?
    ) throws(TrustFileError) -> TrustAnchors? {
        guard let anchors else { return nil }
        let file = anchors.file.path(percentEncoded: false)
        let pem = try pem(part, file)
        let certificates: [X509Certificate]
        do throws(CertificateError) {
            certificates = try X509Certificate.all(inPEM: pem)
        } catch {
            throw TrustFileError(part, file, .certificate(error))
        }
        return switch anchors {
        case .only: .only(certificates)
        case .systemAnd: .systemAnd(certificates)
        }
    }

    private static func identity(
        _ part: Part, _ identity: TrustFilePaths.Identity
    ) throws(TrustFileError) -> ClientIdentity {
        let file = identity.certificates.path(percentEncoded: false)
        let keyFile = identity.privateKey?.path(percentEncoded: false)
        let certificates = try pem(part, file)
        var key: [UInt8]?
        if let keyFile { key = try pem(part, keyFile) }
        var read: ClientIdentity
        do throws(ClientIdentityError) {
            read = try ClientIdentity(
                pem: certificates, privateKeyPEM: key, passphrase: identity.passphrase?())
        } catch {
            let isOfCertificates = if case .certificate = error.reason { true } else { false }
            throw TrustFileError(part, isOfCertificates ? file : keyFile ?? file, .identity(error))
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

    private static func lists(_ paths: TrustFilePaths) throws(TrustFileError) -> [CertificateRevocationList] {
        var lists: [CertificateRevocationList] = []
        for url in paths.revocationLists {
            let file = url.path(percentEncoded: false)
            let bytes = try bytes(.revocationLists, file, limit: maximumListSize)
            // DER begins with a SEQUENCE tag, which no text begins with.
            if bytes.first != 0x30, !isWhole(bytes) { throw TrustFileError(.revocationLists, file, .truncated) }
            do throws(RevocationError) {
                lists += try CertificateRevocationList.all(in: bytes)
            } catch {
                throw TrustFileError(.revocationLists, file, .revocationList(error))
            }
        }
        return lists
    }

    private static func logs(
        _ part: Part, _ paths: TrustFilePaths.TransparencyLogs?
    ) throws(TrustFileError) -> TransparencyLogList? {
        guard let paths else { return nil }
        let file = paths.list.path(percentEncoded: false)
        let json = try bytes(part, file, limit: maximumSize)
        var signature: [UInt8]?
        if let url = paths.signature {
            signature = try bytes(part, url.path(percentEncoded: false), limit: maximumSize)
        }
        do throws(PolicyFileError) {
            guard let signature else { return try TransparencyLogList(json: json) }
            return try TransparencyLogList(json: json, signature: signature, publicKey: paths.publicKey)
        } catch {
            throw TrustFileError(part, file, .transparencyLogs(error))
        }
    }

    private static func policy(_ part: Part, _ file: String?) throws(TrustFileError) -> PolicyFile? {
        guard let file else { return nil }
        let json = try bytes(part, file, limit: maximumSize)
        do throws(PolicyFileError) {
            return try PolicyFile(json: json)
        } catch {
            throw TrustFileError(part, file, .policy(error))
        }
    }

    private static let maximumSize = 16 * 1024 * 1024
    private static let maximumListSize = 256 * 1024 * 1024

    private static func bytes(_ part: Part, _ file: String, limit: Int) throws(TrustFileError) -> [UInt8] {
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
        return content
    }

    private static func pem(_ part: Part, _ file: String) throws(TrustFileError) -> [UInt8] {
        let bytes = try bytes(part, file, limit: maximumSize)
        if !isWhole(bytes) { throw TrustFileError(part, file, .truncated) }
        return bytes
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

extension TrustAnchors {
    /// Those that are not the system's.
    fileprivate var given: [X509Certificate] {
        switch source {
        case .system: []
        case .only(let certificates), .systemAnd(let certificates), .folder(_, let certificates): certificates
        }
    }
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
