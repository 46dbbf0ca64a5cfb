// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
import TernFiles
import TernHTTP1
public import TernIO
import TernLock
import TernTLS

/// Keeps credentials by protection space, with the members of Foundation's `URLCredentialStorage`. A session has one if
/// ``SessionConfiguration/urlCredentialStorage`` names it; sessions may share one.
///
/// A space has any number of credentials, one for each user, and at most one of them is its default. What the program
/// sets is stored, and what a server has accepted, each according to its ``Credential/Persistence``. `none` and trusted
/// servers are never stored.
///
/// A storage in memory ends with its last reference. One with a file also writes credentials with the persistence
/// `permanent` or `synchronizable` to that file, on a thread of its own: they are there again when the program is.
/// Any thread, any time.
///
/// A certificate of the client is stored for a space of the method
/// ``ProtectionSpace/AuthenticationMethod/clientCertificate`` with the host, the port and the protocol `https`, and without
/// a realm. It stays in memory. Sessions present it to that server, in place of their own
/// (``TernTLS/TLSSettings/identity``), on connections that are opened from then on: a connection that was opened with one
/// identity carries no request of another. Raw streams present their session's.
public final class CredentialStorage: Sendable {
    /// The maximum number of spaces whose credentials were stored because servers have accepted them. Beyond that those
    /// go that were not used for longest, up to a tenth at a time. What the program sets does not count, and stays.
    public static let maximumSpaceCount = 10_000
    /// The maximum number of them that one host has, whatever the port: a server may name another realm each time.
    public static let maximumSpaceCountPerHost = 32
    /// In bytes.
    private static let maximumFileLength = 16 * 1024 * 1024

    private struct State {
        var table = CredentialTable()
        /// What the file does not have yet. Stays empty without a file.
        var changes: Set<CredentialRecord.Key> = []
        var willSave = false
        var saveError: CredentialFileError?
    }

    /// The storage of the process, in memory. No session uses it unless its configuration says so.
    public static let shared = CredentialStorage()

    /// The number of lines that were skipped when the file was read, because they are no credentials: comments and empty
    /// lines do not count. They stay in the file. 0 without a file.
    public let skippedLineCount: Int

    private let state: Lock<State>
    private let file: MergedFile?
    /// Where the file is written, one change after another.
    private let queue = SerialQueue()

    /// An empty storage in memory.
    public init() {
        (file, skippedLineCount) = (nil, 0)
        state = Lock(State())
    }

    /// A storage with the credentials of a file. Passwords stand in it as they are: only its owner may use the file.
    ///
    /// What changes is written to the file within a second, in the background; ``save()`` writes it at once. What has
    /// changed when the storage ends is written in the background likewise: a program that ends right after calls
    /// ``save()`` before, or loses it. Several processes may share a file: each keeps what the others have written.
    ///
    /// A file that does not exist is created when it is written, with the mode 600. A lock file stands beside it while it
    /// is written. A line that cannot be read, such as one of a later version, is skipped, and kept.
    ///
    /// - Parameter file: the location of the file, at most 16 MB long. Symbolic links are followed. Blocks while it is
    ///   read.
    /// - Throws: ``CredentialFileError``, also if others may read or write the file, or it belongs to another user.
    public init(file: URL) throws(CredentialFileError) {
        let file = MergedFile(file.path(percentEncoded: false), limit: Self.maximumFileLength, isPrivate: true)
        let content: CredentialText
        do throws(MergedFile.Failure) {
            content = CredentialText(try file.read())
        } catch {
            throw CredentialFileError(error, path: file.path)
        }
        self.file = file
        skippedLineCount = content.skippedLineCount
        state = Lock(State(table: CredentialTable(content.records)))
    }

    deinit {
        // The last reference may be that of a reactor, which must not wait for a lock or the disk.
        guard let file else { return }
        let (changes, table) = state.withLock { ($0.changes, $0.table) }
        if changes.isEmpty { return }
        queue.async { try? file.merge { table.merged(changes, into: $0) } }
    }

    /// The credentials of a space by user; nil without one.
    public func credentials(for space: ProtectionSpace) -> [String: Credential]? {
        let credentials = state.withLock { $0.table.credentials(for: space) }
        return credentials.isEmpty ? nil : Self.byUser(credentials)
    }

    /// All credentials by space and user.
    public var allCredentials: [ProtectionSpace: [String: Credential]] {
        state.withLock { $0.table.spaces }.mapValues { Self.byUser($0.credentials) }
    }

    /// Stores a credential, in place of one for the same user. One with the persistence `none`, or for a trusted server,
    /// is not stored, and changes nothing.
    public func set(_ credential: Credential, for space: ProtectionSpace) {
        change(space) { $0.set(credential, for: space) }
    }

    /// Removes the credential of the same user, also from the file.
    public func remove(_ credential: Credential, for space: ProtectionSpace) {
        change(space) { $0.remove(credential.user, for: space) }
    }

    /// The credential that the program has made the default of this space, which is proposed first; without one that which
    /// was the first of the space, as long as it is there; nil without it.
    public func defaultCredential(for space: ProtectionSpace) -> Credential? {
        state.withLock { $0.table.defaultCredential(for: space) }
    }

    /// Stores a credential as ``set(_:for:)`` does, and makes it the default of its space.
    public func setDefaultCredential(_ credential: Credential, for space: ProtectionSpace) {
        change(space) { $0.set(credential, for: space, isDefault: true) }
    }

    private static func byUser(_ credentials: [Credential]) -> [String: Credential] {
        Dictionary(credentials.map { ($0.user ?? "", $0) }) { $1 }
    }

    package typealias Observer = @Sendable (CredentialStorage) -> Void

    private static let observers = Lock<[Observer]>([])
    /// Where observers are called, one change after another: who changes a storage may be a task in the midst of its
    /// work. Apart from the files, so that an observer may save.
    static let publication = SerialQueue()

    /// Calls `observer` after each change of a storage's credentials, with the storage, on a thread of Tern's that is no
    /// reactor's; for the life of the process.
    package static func publishChanges(to observer: @escaping Observer) {
        observers.withLock { $0.append(observer) }
    }

    /// Changes the credentials of a space; `body` returns which have.
    private func change(_ space: ProtectionSpace, _ body: (inout CredentialTable) -> [CredentialRecord.Key]) {
        let observers = Self.observers.withLock { $0 }
        var hasChanged = false
        let saves = state.withLock { state in
            let before = observers.isEmpty ? nil : state.table.content(of: space)
            let changes = body(&state.table)
            hasChanged = before.map { $0 != state.table.content(of: space) } ?? false
            if file == nil || changes.isEmpty { return false }
            // A file that cannot be written must not let them grow: what the table has not is forgotten.
            if state.changes.count > 2 * max(Self.maximumSpaceCount, state.table.spaces.count) {
                state.changes = state.changes.filter { [table = state.table] in table.contains($0) }
            }
            state.changes.formUnion(changes)
            defer { state.willSave = true }
            return !state.willSave
        }
        // An error is kept for `saveError`.
        if saves { queue.async(after: .milliseconds(500)) { [weak self] in _ = self?.write() } }
        if hasChanged { Self.publication.async { for observer in observers { observer(self) } } }
    }
}

// The file
extension CredentialStorage {
    /// Why the file could not be written the last time that was tried; nil if it was written.
    public var saveError: CredentialFileError? { state.withLock { $0.saveError } }

    /// Writes what has changed to the file, and keeps what other processes have written to it. Blocks, also while what
    /// changed before is written in the background. Does nothing for a storage in memory, or if nothing has changed.
    public func save() throws(CredentialFileError) { try queue.sync { write() }.get() }

    /// On the queue of the file.
    private func write() -> Result<Void, CredentialFileError> {
        guard let file else { return .success(()) }
        let (changes, table) = state.withLock { state in
            defer { (state.changes, state.willSave) = ([], false) }
            return (state.changes, state.table)
        }
        if changes.isEmpty { return .success(()) }
        do throws(MergedFile.Failure) {
            try file.merge { table.merged(changes, into: $0) }
        } catch {
            let error = CredentialFileError(error, path: file.path)
            state.withLock { state in
                state.changes.formUnion(changes)
                state.saveError = error
            }
            return .failure(error)
        }
        state.withLock { $0.saveError = nil }
        return .success(())
    }
}

// On reactors
extension CredentialStorage {
    /// The credentials to propose in a space, in this order: the default one, then those that were set last.
    func proposals(for space: ProtectionSpace) -> [Credential] {
        state.withLock { state in
            state.table.use(space)
            return state.table.proposals(for: space)
        }
    }

    /// The certificate of the client for this server; nil without one.
    func identity(for origin: HTTPOrigin) -> ClientIdentity? {
        state.withLock { state in
            if !state.table.hasIdentities { return nil }
            let space = ProtectionSpace(
                host: origin.host, port: Int(origin.port), protocol: "\(origin.scheme)",
                authenticationMethod: .clientCertificate)
            return state.table.proposals(for: space).lazy.compactMap(\.identity).first
        }
    }

    /// The credential of this user; nil without one.
    func credential(ofUser user: String, for space: ProtectionSpace) -> Credential? {
        state.withLock { state in
            state.table.use(space)
            return state.table.credentials(for: space).first { $0.user == user }
        }
    }

    /// A server has accepted a credential. The same one with another persistence stays as it is.
    func accepted(_ credential: Credential, for space: ProtectionSpace) {
        change(space) { table in
            let former = table.credentials(for: space).first { $0.user == credential.user }
            if let former, former.passwordCredential == credential.passwordCredential { return [] }
            return table.accept(credential, for: space)
        }
    }
}

/// Why a file of credentials was not read, or not written. A line that is no credential is none of these: it is skipped
/// (``CredentialStorage/skippedLineCount``).
public enum CredentialFileError: Error, Sendable, Hashable {
    /// The file exists and cannot be read, is no regular file, or is longer than 16 MB.
    case unreadable(path: String, SystemCallError)
    /// The group of the file or everybody may read or write it. Its owner alone should: mode 600.
    ///
    /// - Parameter mode: the permissions, as of stat(2).
    case exposed(path: String, mode: UInt32)
    /// The file belongs to another user than that of the process.
    ///
    /// - Parameter owner: the number of that user.
    case foreign(path: String, owner: UInt32)
    /// Another process has kept the file locked for five seconds.
    case locked(path: String)
    /// The file cannot be written.
    case unwritable(path: String, SystemCallError)

    fileprivate init(_ failure: MergedFile.Failure, path: String) {
        self =
            switch failure {
            case .unreadable(let error): .unreadable(path: path, error)
            case .locked: .locked(path: path)
            case .unwritable(let error): .unwritable(path: path, error)
            case .exposed(let mode): .exposed(path: path, mode: mode)
            case .foreign(let owner): .foreign(path: path, owner: owner)
            }
    }
}

extension CredentialFileError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreadable(let path, let error): "cannot read \(path): \(error)"
        case .exposed(let path, let mode):
            "others may use the passwords in \(path), whose mode is \(String(mode, radix: 8)): make it 600"
        case .foreign(let path, let owner): "\(path) belongs to another user, \(owner)"
        case .locked(let path): "another process keeps \(path).lock locked"
        case .unwritable(let path, let error): "cannot write \(path): \(error)"
        }
    }
}
