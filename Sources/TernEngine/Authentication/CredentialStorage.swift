// SPDX-License-Identifier: Apache-2.0
import Dispatch
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
    /// The maximum number of spaces: when there are more, a credential that a server accepts is not stored for a further
    /// one. What the program sets is.
    public static let maximumSpaceCount = 10_000
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
    private let queue = DispatchQueue(label: "tern.credentials", qos: .utility)

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
        change { $0.set(credential, for: space) }
    }

    /// Removes the credential of the same user, also from the file.
    public func remove(_ credential: Credential, for space: ProtectionSpace) {
        change { $0.remove(credential.user, for: space) }
    }

    /// The credential that is proposed first in this space; nil if none was set as such.
    public func defaultCredential(for space: ProtectionSpace) -> Credential? {
        state.withLock { $0.table.defaultCredential(for: space) }
    }

    /// Stores a credential as ``set(_:for:)`` does, and makes it the default of its space.
    public func setDefaultCredential(_ credential: Credential, for space: ProtectionSpace) {
        change { $0.set(credential, for: space, isDefault: true) }
    }

    private static func byUser(_ credentials: [Credential]) -> [String: Credential] {
        Dictionary(credentials.map { ($0.user ?? "", $0) }) { $1 }
    }

    /// Changes the table; `body` returns which credentials have.
    private func change(_ body: (inout CredentialTable) -> [CredentialRecord.Key]) {
        let saves = state.withLock { state in
            let changes = body(&state.table)
            if file == nil || changes.isEmpty { return false }
            state.changes.formUnion(changes)
            defer { state.willSave = true }
            return !state.willSave
        }
        // An error is kept for `saveError`.
        if saves { queue.asyncAfter(deadline: .now() + 0.5) { [weak self] in _ = self?.write() } }
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
    func proposals(for space: ProtectionSpace) -> [Credential] { state.withLock { $0.table.proposals(for: space) } }

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
        state.withLock { state in state.table.credentials(for: space).first { $0.user == user } }
    }

    /// A server has accepted a credential. The same one with another persistence stays as it is.
    func accepted(_ credential: Credential, for space: ProtectionSpace) {
        change { table in
            let former = table.credentials(for: space).first { $0.user == credential.user }
            if let former, former.passwordCredential == credential.passwordCredential { return [] }
            if table.spaces[space] == nil, table.spaces.count >= Self.maximumSpaceCount { return [] }
            return table.set(credential, for: space)
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

/// Credentials by space.
private struct CredentialTable: Sendable {
    struct Entry: Sendable {
        /// In the order in which they were set.
        var credentials: [Credential] = []
        /// The user of the default one.
        var defaultUser: String?
    }

    private(set) var spaces: [ProtectionSpace: Entry] = [:]
    /// Whether a certificate of the client has been set: most storages are never asked for one.
    private(set) var hasIdentities = false

    init() {}

    /// Of several records with one user the last counts.
    init(_ records: [CredentialRecord]) {
        for record in records { _ = set(record.credential, for: record.space, isDefault: record.isDefault) }
    }

    func credentials(for space: ProtectionSpace) -> [Credential] { spaces[space]?.credentials ?? [] }

    func defaultCredential(for space: ProtectionSpace) -> Credential? {
        guard let entry = spaces[space], let user = entry.defaultUser else { return nil }
        return entry.credentials.first { $0.user == user }
    }

    func proposals(for space: ProtectionSpace) -> [Credential] {
        guard let entry = spaces[space] else { return [] }
        let user = entry.defaultUser
        return entry.credentials.filter { user != nil && $0.user == user }
            + entry.credentials.reversed().filter { user == nil || $0.user != user }
    }

    /// Returns which credentials have changed.
    mutating func set(
        _ credential: Credential, for space: ProtectionSpace, isDefault: Bool = false
    ) -> [CredentialRecord.Key] {
        guard credential.persistence != .none, let user = credential.user else { return [] }
        if credential.identity != nil { hasIdentities = true }
        var entry = spaces[space] ?? Entry()
        var changed = [user]
        entry.credentials.removeAll { $0.user == user }
        entry.credentials.append(credential)
        if isDefault, entry.defaultUser != user {
            changed += entry.defaultUser.map { [$0] } ?? []
            entry.defaultUser = user
        }
        // The key keeps no server's certificates alive.
        if spaces[space] == nil { spaces[space.withoutTrust] = entry } else { spaces[space] = entry }
        return changed.map { CredentialRecord.Key(space: space.withoutTrust, user: $0) }
    }

    mutating func remove(_ user: String?, for space: ProtectionSpace) -> [CredentialRecord.Key] {
        guard let user, var entry = spaces[space], entry.credentials.contains(where: { $0.user == user }) else {
            return []
        }
        entry.credentials.removeAll { $0.user == user }
        if entry.defaultUser == user { entry.defaultUser = nil }
        spaces[space] = entry.credentials.isEmpty ? nil : entry
        return [CredentialRecord.Key(space: space.withoutTrust, user: user)]
    }

    /// The content of a file with these changes of the table.
    func merged(_ changes: Set<CredentialRecord.Key>, into content: [UInt8]) -> [UInt8] {
        let content = CredentialText(content)
        let others = content.records.filter { !changes.contains($0.key) }
        let own = changes.compactMap(record).sorted { $0.key.user < $1.key.user }
        return CredentialText.bytes(of: others + own, after: content.otherLines)
    }

    /// Nil for what is in no file.
    private func record(_ key: CredentialRecord.Key) -> CredentialRecord? {
        guard let entry = spaces[key.space], let credential = entry.credentials.first(where: { $0.user == key.user }),
            let password = credential.passwordCredential, credential.persistence != .forSession
        else { return nil }
        return CredentialRecord(space: key.space, password: password, isDefault: entry.defaultUser == key.user)
    }
}

/// One credential of a file.
private struct CredentialRecord: Sendable {
    struct Key: Hashable, Sendable {
        let space: ProtectionSpace
        let user: String
    }

    let space: ProtectionSpace
    let password: PasswordCredential
    let isDefault: Bool

    var key: Key { Key(space: space, user: password.user) }
    var credential: Credential { Credential(password, persistence: .permanent) }
}

/// The content of a file of credentials: a line for each, with blanks between its words, and escapes as in a URL.
///
///     tern-1 NSURLAuthenticationMethodHTTPBasic https example.com 443 =realm 3 default =user =password .
///
/// The word that ends a line tells a whole one from the beginning of one. A line that is none of these spoils nothing but
/// itself, and is kept.
private struct CredentialText {
    private static let header = Array("# Passwords, as they are: only the owner may read this file.\n".utf8)
    private static let (lineFeed, equals) = (UInt8(ascii: "\n"), UInt8(ascii: "="))
    private static let (version, end) = ("tern-1", ".")

    /// In the order of the file.
    private(set) var records: [CredentialRecord] = []
    /// The lines that are no credentials, comments included, each with its end.
    private(set) var otherLines: [UInt8] = []
    /// The number of lines that are no credentials and should be.
    private(set) var skippedLineCount = 0

    init(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let line = rest.prefix { $0 != Self.lineFeed }
            rest = rest.dropFirst(line.count + 1)
            if let record = Self.record(line) {
                records.append(record)
                continue
            }
            otherLines += line + [Self.lineFeed]
            let first = line.first { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }
            if let first, first != UInt8(ascii: "#") { skippedLineCount += 1 }
        }
    }

    private static func record(_ line: ArraySlice<UInt8>) -> CredentialRecord? {
        let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count == 11, text(words[0]) == version, text(words[10]) == end,
            let method = decoded(words[1]), let scheme = decoded(words[2]), let host = decoded(words[3]),
            let port = Int(text(words[4])), (0...65535).contains(port), let schemes = UInt8(text(words[6])),
            let user = value(words[8]), let password = value(words[9])
        else { return nil }
        let realm = value(words[5])
        guard realm != nil || text(words[5]) == "-", ["default", "-"].contains(text(words[7])) else { return nil }
        return CredentialRecord(
            space: ProtectionSpace(
                host: host, port: port, protocol: scheme == "-" ? nil : scheme,
                realm: realm.map { String(decoding: $0, as: UTF8.self) },
                authenticationMethod: ProtectionSpace.AuthenticationMethod(rawValue: method)),
            password: PasswordCredential(
                user: user, password: password, schemes: PasswordCredential.Schemes(rawValue: schemes)),
            isDefault: text(words[7]) == "default")
    }

    private static func text(_ word: ArraySlice<UInt8>) -> String { String(decoding: word, as: UTF8.self) }

    private static func decoded(_ word: ArraySlice<UInt8>) -> String? {
        PercentEncoding.decoded(word).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// The bytes behind an equals sign, without which there is no value.
    private static func value(_ word: ArraySlice<UInt8>) -> [UInt8]? {
        word.first == equals ? PercentEncoding.decoded(word.dropFirst()) : nil
    }

    /// The content of a file with these records, after the lines of another file that are none.
    static func bytes(of records: [CredentialRecord], after lines: [UInt8]) -> [UInt8] {
        var bytes = lines.isEmpty ? header : lines
        for record in records {
            let space = record.space
            let words = [
                version, PercentEncoding.component(space.authenticationMethod.rawValue.utf8),
                space.protocol.map { PercentEncoding.component($0.utf8) } ?? "-",
                PercentEncoding.component(space.host.utf8), "\(space.port)",
                space.realm.map { "=" + PercentEncoding.component($0.utf8) } ?? "-",
                "\(record.password.schemes.rawValue)", record.isDefault ? "default" : "-",
                "=" + PercentEncoding.component(record.password.userBytes),
                "=" + PercentEncoding.component(record.password.passwordBytes), end,
            ]
            bytes += Array(words.joined(separator: " ").utf8) + [lineFeed]
        }
        return bytes
    }
}
