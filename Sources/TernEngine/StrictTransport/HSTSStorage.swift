// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
import TernFiles
public import TernIO
import TernLock
import TernSystem
import TernTLS

/// Remembers the hosts that want to be requested over TLS only: HTTP Strict Transport Security (RFC 6797). A session has
/// one if ``SessionConfiguration/hstsStorage`` names it; sessions may share one.
///
/// It learns from `Strict-Transport-Security` fields of https responses whose server was trusted by a chain that was
/// validated in full, and never for addresses. An http URL of such a host becomes an https URL before a connection is
/// opened: port 80 becomes 443, any other port stays (§8.3). That holds for redirects, too.
///
/// At most ``maximumHostCount`` hosts: beyond that those that would end first are removed, up to a tenth at a time. A
/// storage in memory ends with its last reference; one with a file writes to it in ``save()``, and only then. Any
/// thread, any time.
public final class HSTSStorage: Sendable {
    /// The maximum number of hosts that a storage remembers.
    public static let maximumHostCount = 10_000
    /// In bytes.
    private static let maximumFileLength = 16 * 1024 * 1024

    /// A host that is requested over TLS only.
    public struct Host: Sendable, Hashable {
        /// The name, in lower case and without a final dot.
        public let name: String
        /// Whether that holds for all hosts beneath it, too.
        public let includesSubdomains: Bool
        /// When that ends; nil for never.
        public let expiresDate: Date?

        /// Creates a host for ``HSTSStorage/set(_:)``.
        ///
        /// - Parameters:
        ///   - name: the name, in any case; no address.
        ///   - includesSubdomains: whether that holds for all hosts beneath it, too.
        ///   - expiresDate: when that ends; nil for never.
        public init(name: String, includesSubdomains: Bool = false, expiresDate: Date? = nil) {
            self.name = HostName.canonical(InternationalizedNames.inDNS(name))
            self.includesSubdomains = includesSubdomains
            self.expiresDate = expiresDate
        }
    }

    private struct State {
        var table = KnownHosts()
        /// The names whose hosts have changed since the file was read or written. Stays empty without a file.
        var changes: Set<String> = []
    }

    /// The number of lines that were skipped when the file was read, because they are no hosts: comments and empty lines
    /// do not count. They stay in the file. 0 without a file.
    public let skippedLineCount: Int
    /// The first of them, counted from 1; 0 without one.
    package let firstSkippedLine: Int

    private let file: MergedFile?
    private let state: Lock<State>

    /// An empty storage in memory.
    public init() {
        (file, skippedLineCount, firstSkippedLine) = (nil, 0, 0)
        state = Lock(State())
    }

    /// A storage with the hosts of a file, which curl reads and writes, too: lines like
    /// `.example.com "20271231 23:59:59"`, where the dot includes subdomains. Any other line is skipped, and kept.
    ///
    /// - Parameter file: the location of the file, at most 16 MB long; it need not exist. Symbolic links are followed.
    ///   Blocks while it is read.
    public init(file: URL) throws(HSTSFileError) {
        let file = MergedFile(file.path(percentEncoded: false), limit: Self.maximumFileLength)
        let content: HSTSText
        do throws(MergedFile.Failure) {
            content = HSTSText(try file.read())
        } catch {
            throw HSTSFileError(error, path: file.path)
        }
        (skippedLineCount, firstSkippedLine) = (content.skippedLineCount, content.firstSkippedLine)
        self.file = file
        state = Lock(State(table: KnownHosts(content.hosts, now: Self.now)))
    }

    /// A storage in memory with the hosts of a text in the format of such a file.
    package init(text: [UInt8]) {
        let content = HSTSText(text)
        (skippedLineCount, firstSkippedLine) = (content.skippedLineCount, content.firstSkippedLine)
        file = nil
        state = Lock(State(table: KnownHosts(content.hosts, now: Self.now)))
    }

    private static var now: Int64 { Int64(Date().timeIntervalSince1970) }

    /// The hosts in alphabetical order, without those that have ended.
    public var hosts: [Host] {
        state.withLock { $0.table.hosts(now: Self.now) }.map { host in
            Host(
                name: host.name, includesSubdomains: host.includesSubdomains,
                expiresDate: host.expires == .max ? nil : Date(timeIntervalSince1970: Double(host.expires)))
        }
    }

    /// Whether an http URL with this host becomes an https URL: the host is remembered, or one above it that includes
    /// subdomains.
    ///
    /// - Parameter host: a host as in a URL, in any case.
    public func requiresTLS(forHost host: String) -> Bool {
        state.withLock {
            $0.table.isEmpty
                ? false : $0.table.covers(HostName.canonical(InternationalizedNames.inDNS(host)), now: Self.now)
        }
    }

    /// Remembers a host, in place of what was said of it before. Returns false, and changes nothing, for an address, for
    /// what is no name in DNS, and for a host that has ended.
    @discardableResult
    public func set(_ host: Host) -> Bool {
        let seconds = host.expiresDate.map { $0.timeIntervalSince1970.rounded(.down) }
        let expires = seconds.map { Int64(exactly: $0) ?? ($0 > 0 ? .max : 0) } ?? .max
        guard
            let known = KnownHost(name: host.name, includesSubdomains: host.includesSubdomains, expires: expires),
            expires > Self.now
        else { return false }
        change(known.name) { $0.set(known, now: $1) }
        return true
    }

    /// Forgets a host. One above it that includes subdomains is remembered nevertheless.
    public func remove(_ name: String) {
        let name = HostName.canonical(InternationalizedNames.inDNS(name))
        change(name) { table, _ in table.remove(name) }
    }

    /// Writes what has changed to the file, and keeps what other processes have written to it meanwhile. The file is
    /// replaced in one step, and only its owner may read it. Blocks. Does nothing for a storage in memory, or if nothing
    /// has changed.
    public func save() throws(HSTSFileError) { try save(always: false) }

    /// The same, and creates the file if it does not exist.
    package func saveAlways() throws(HSTSFileError) { try save(always: true) }
}

// The file
extension HSTSStorage {
    private func save(always: Bool) throws(HSTSFileError) {
        guard let file else { return }
        let isMissing = always && !file.exists
        if state.withLock({ $0.changes.isEmpty }), !isMissing { return }
        var names: Set<String> = []
        do throws(MergedFile.Failure) {
            try file.merge { merged(with: $0, &names) }
        } catch {
            state.withLock { $0.changes.formUnion(names) }
            throw HSTSFileError(error, path: file.path)
        }
    }

    /// The content of the file with what has changed; `names` are those of the hosts that have.
    private func merged(with content: [UInt8], _ names: inout Set<String>) -> [UInt8] {
        let (content, now) = (HSTSText(content), Self.now)
        let (changes, hosts) = state.withLock { state in
            defer { state.changes = [] }
            return (state.changes, state.changes.compactMap { state.table[$0] })
        }
        var table = KnownHosts(content.hosts, now: now)
        for name in changes { table.remove(name) }
        for host in hosts { table.set(host, now: now) }
        names = changes
        return HSTSText.bytes(of: table.hosts(now: now), after: content.otherLines)
    }

    private func change(_ name: String, _ body: (inout KnownHosts, Int64) -> Void) {
        let now = Self.now
        state.withLock { state in
            let before = state.table[name]
            body(&state.table, now)
            guard file != nil, state.table[name] != before else { return }
            // A file that is not written must not let them grow: what the table has not is forgotten.
            if state.changes.count >= 2 * Self.maximumHostCount {
                state.changes = state.changes.filter { [table = state.table] in table[$0] != nil }
            }
            state.changes.insert(name)
        }
    }
}

// On reactors
extension HSTSStorage {
    /// Learns from the first `Strict-Transport-Security` field of a response from this host.
    func receive(_ field: [UInt8], from host: String) {
        guard let field = StrictTransportSecurity(field) else { return }
        let (expires, isTooMuch) = Self.now.addingReportingOverflow(field.maxAge)
        let known = KnownHost(
            name: host, includesSubdomains: field.includesSubdomains, expires: isTooMuch ? .max : expires)
        guard let known else { return }
        change(known.name) { table, now in
            if field.maxAge == 0 { table.remove(known.name) } else { table.set(known, now: now) }
        }
    }
}

/// Why the hosts could not be read from a file, or written to it. A line that is no host is none of these: it is skipped
/// (``HSTSStorage/skippedLineCount``).
public enum HSTSFileError: Error, Sendable, Hashable {
    /// The file exists and cannot be read, is no regular file, or is longer than 16 MB.
    case unreadable(path: String, SystemCallError)
    /// Another process has kept the file locked for five seconds.
    case locked(path: String)
    /// The file cannot be written.
    case unwritable(path: String, SystemCallError)
}

extension HSTSFileError {
    fileprivate init(_ failure: MergedFile.Failure, path: String) {
        switch failure {
        case .unreadable(let error): self = .unreadable(path: path, error)
        case .locked: self = .locked(path: path)
        case .unwritable(let error): self = .unwritable(path: path, error)
        case .exposed, .foreign: self = .unreadable(path: path, .notPermitted)
        }
    }
}

extension HSTSFileError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreadable(let path, let error): "cannot read \(path): \(error)"
        case .locked(let path): "another process keeps \(path).lock locked"
        case .unwritable(let path, let error): "cannot write \(path): \(error)"
        }
    }
}

/// The known hosts by name, and their limit.
private struct KnownHosts {
    private var byName: [String: KnownHost] = [:]

    init() {}

    /// Of several hosts with one name the one counts that ends last, as in curl. What is too much is removed once, in the
    /// end.
    init(_ hosts: [KnownHost], now: Int64) {
        for host in hosts where host.expires > now {
            if let other = byName[host.name], other.expires >= host.expires { continue }
            byName[host.name] = host
        }
        if byName.count > HSTSStorage.maximumHostCount { keep(HSTSStorage.maximumHostCount, now) }
    }

    var isEmpty: Bool { byName.isEmpty }

    subscript(name: String) -> KnownHost? { byName[name] }

    func hosts(now: Int64) -> [KnownHost] {
        byName.values.filter { $0.expires > now }.sorted { $0.name < $1.name }
    }

    /// RFC 6797 §8.2: the host itself, or one above it.
    func covers(_ host: String, now: Int64) -> Bool {
        if let known = byName[host], known.expires > now { return true }
        var rest = Substring(host)
        while let dot = rest.utf8.firstIndex(of: UInt8(ascii: ".")) {
            rest = rest[rest.utf8.index(after: dot)...]
            if let known = byName[String(rest)], known.includesSubdomains, known.expires > now { return true }
        }
        return false
    }

    mutating func set(_ host: KnownHost, now: Int64) {
        byName[host.name] = host
        // A tenth at a time: a server with many names must not have the table sorted for each of them.
        if byName.count > HSTSStorage.maximumHostCount { keep(HSTSStorage.maximumHostCount * 9 / 10, now) }
    }

    mutating func remove(_ name: String) { byName[name] = nil }

    /// Keeps this many, which end last.
    private mutating func keep(_ count: Int, _ now: Int64) {
        let kept = byName.values.filter { $0.expires > now }.sorted { $0.expires > $1.expires }.prefix(count)
        byName = Dictionary(uniqueKeysWithValues: kept.map { ($0.name, $0) })
    }
}
