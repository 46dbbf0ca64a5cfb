// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
import TernHTTP1
import TernIO
import TernLock
import TernSystem

/// Keeps cookies between requests, with the names of Foundation's `HTTPCookieStorage` and the rules of RFC 6265bis. A
/// session has one if ``SessionConfiguration/httpCookieStorage`` names it; sessions may share one.
///
/// At most 3,000 cookies, and 180 of one site: beyond that those used least recently are removed, up to a tenth at a time. A storage in memory
/// ends with its last reference; one with a file writes what changes to that file, on a thread of its own. Any thread, any
/// time.
public final class HTTPCookieStorage: Sendable {
    private struct State {
        var jar = CookieJar()
        var policy = HTTPCookie.AcceptPolicy.always
        /// Set once.
        var keeper: Keeper?
        /// Stays empty without a file.
        var changes = CookieChanges()
        var willSave = false
        var saveError: CookieFileError?
    }

    /// The file of a storage.
    private struct Keeper: Sendable {
        let file: CookieFile
        let keepsSessionCookies: Bool
        let skippedLineCount: Int
        let firstSkippedLine: Int

        func write(_ changes: CookieChanges) throws(CookieFileError) {
            try file.write(changes, keepsSessionCookies: keepsSessionCookies)
        }
    }

    /// The storage of the process, in memory. No session uses it unless its configuration says so.
    ///
    /// A program that imports `TernURLSession` or `TernAlamofire` has the same object by the same name of theirs, which has
    /// it kept in a file.
    @_disfavoredOverload
    public static let shared = HTTPCookieStorage()

    /// The same, for modules that have a `shared` of their own.
    package static var ofProcess: HTTPCookieStorage { shared }

    private static let groups = Lock<[String: HTTPCookieStorage]>([:])

    /// The storage of a group of programs on Darwin; here one in memory for each identifier, which ends with the process.
    package static func shared(byGroup identifier: String) -> HTTPCookieStorage {
        groups.withLock { groups in
            let storage = groups[identifier] ?? HTTPCookieStorage()
            groups[identifier] = storage
            return storage
        }
    }

    /// The number of lines that were skipped when the file was read, because they are no cookies: comments and empty
    /// lines do not count. They stay in the file. 0 without a file.
    public var skippedLineCount: Int { state.withLock { $0.keeper?.skippedLineCount ?? 0 } }
    /// The first of them, counted from 1; 0 without one.
    package var firstSkippedLine: Int { state.withLock { $0.keeper?.firstSkippedLine ?? 0 } }

    private let state: Lock<State>

    /// An empty storage in memory.
    public init() { state = Lock(State()) }

    /// A storage with the cookies of a file in the Netscape format, which curl and wget read and write too. Lines like
    /// `Set-Cookie: a=1; Domain=example.com` are read as well. Any other line is skipped, and kept.
    ///
    /// What changes is written to the file within a second, in the background; ``save()`` writes it at once. What has
    /// changed when the storage ends is written in the background likewise: a program that ends right after calls
    /// ``save()`` before, or loses it. Several processes may share a file.
    ///
    /// A file that does not exist is created when it is written, for its owner alone. A lock file stands beside it while
    /// it is written.
    ///
    /// - Parameters:
    ///   - file: the location of the file. Symbolic links are followed. Blocks while it is read.
    ///   - keepsSessionCookies: whether cookies without an end are written to the file and taken from it.
    public init(file: URL, keepsSessionCookies: Bool = false) throws(CookieFileError) {
        let now = Date()
        let (keeper, cookies) = try Self.open(
            CookieFile(file.path(percentEncoded: false)), keepsSessionCookies: keepsSessionCookies, now: now)
        state = Lock(State(jar: CookieJar(cookies, now: now), keeper: keeper))
    }

    private static func open(
        _ file: CookieFile, keepsSessionCookies: Bool, now: Date
    ) throws(CookieFileError) -> (keeper: Keeper, cookies: [HTTPCookie]) {
        let content = try file.read(now: now)
        let keeper = Keeper(
            file: file, keepsSessionCookies: keepsSessionCookies,
            skippedLineCount: content.skippedLineCount + content.fieldsWithoutDomain.count,
            firstSkippedLine: content.firstSkippedLine)
        return (keeper, content.cookies.filter { keepsSessionCookies || !$0.isSessionOnly })
    }

    deinit {
        // The last reference may be that of a reactor, which must not wait for a lock or the disk.
        let (keeper, changes) = state.withLock { ($0.keeper, $0.changes) }
        guard let keeper, !changes.isEmpty else { return }
        keeper.file.queue.async { try? keeper.write(changes) }
    }

    /// All cookies, in the order of their creation.
    public var cookies: [HTTPCookie]? { state.withLock { $0.jar.cookies(now: Date()) } }

    /// From which responses cookies are taken; from all at first.
    public var cookieAcceptPolicy: HTTPCookie.AcceptPolicy {
        get { state.withLock { $0.policy } }
        set { state.withLock { $0.policy = newValue } }
    }

    /// Stores a cookie, in place of one with the same name, domain and path.
    public func setCookie(_ cookie: HTTPCookie) {
        change { state, now in
            state.jar.set(cookie, now: now)
            return [cookie]
        }
    }

    /// Removes the cookie with the same name, domain and path.
    public func deleteCookie(_ cookie: HTTPCookie) {
        change { state, _ in
            state.jar.remove(cookie)
            return [cookie.ended]
        }
    }

    /// Removes the cookies that were created at `date` or later.
    public func removeCookies(since date: Date) {
        change { state, now in
            let before = state.jar.cookies(now: now)
            state.jar.removeAll(since: date)
            let left = Set(state.jar.cookies(now: now))
            return before.filter { !left.contains($0) }.map(\.ended)
        }
    }

    /// The cookies that a request to `url` takes along, in the order in which it does; nil where `url` is none of http
    /// or https.
    public func cookies(for url: URL) -> [HTTPCookie]? { cookies(for: URLRequest(url: url)) }

    /// The cookies that a request takes along, in the order in which it does; nil for a request that cannot be sent.
    package func cookies(for request: URLRequest) -> [HTTPCookie]? {
        guard let origin = CookieOrigin(request) else { return nil }
        return state.withLock { $0.jar.cookies(for: origin, now: Date()) }
    }

    /// Stores cookies that a response from `url` set, as far as the policy says.
    ///
    /// - Parameters:
    ///   - cookies: the cookies; those that a response from `url` may not set are ignored.
    ///   - url: the URL of the response.
    ///   - mainDocumentURL: the document that caused the request; nil for `url` itself.
    public func setCookies(_ cookies: [HTTPCookie], for url: URL?, mainDocumentURL: URL?) {
        guard let url, let origin = CookieOrigin(url) else { return }
        let main = mainDocumentURL.flatMap { CookieOrigin($0) } ?? origin
        let isThirdParty =
            PublicSuffixes.registrableDomain(of: main.host) != PublicSuffixes.registrableDomain(of: origin.host)
        change { state, now in
            switch state.policy {
            case .always: break
            case .never: return []
            case .onlyFromMainDocumentDomain: if isThirdParty { return [] }
            }
            return cookies.filter { $0.maySet(origin) && state.jar.set($0, from: origin, now: now) }
        }
    }
}

// The file
extension HTTPCookieStorage {
    /// Keeps the cookies in a file from now on, which only its owner may use, in a folder that is created if there is
    /// none. The cookies of the file, but not those without an end, are added to those that are set already, which
    /// replace equal ones and are written.
    ///
    /// Where the folder cannot be created or the file cannot be read, the storage stays in memory, and ``saveError`` says
    /// why. Does nothing for a storage that has a file. Blocks.
    package func attach(ownersFile path: String) {
        if keeper != nil { return }
        let (file, now) = (CookieFile(path, isPrivate: true), Date())
        let content = Result { () throws(CookieFileError) in
            try file.createFolder()
            return try Self.open(file, keepsSessionCookies: false, now: now)
        }
        change { state, now in
            guard state.keeper == nil else { return [] }
            switch content {
            case .success(let content):
                let cookies = state.jar.cookies(now: now)
                state.jar = CookieJar(content.cookies + cookies, now: now)
                (state.keeper, state.saveError) = (content.keeper, nil)
                return cookies
            case .failure(let error):
                state.saveError = error
                return []
            }
        }
    }

    private var keeper: Keeper? { state.withLock { $0.keeper } }

    /// Why the file could not be written the last time that was tried; nil if it was written. Of the storage of the process
    /// also why it has no file.
    public var saveError: CookieFileError? { state.withLock { $0.saveError } }

    /// Writes what has changed to the file, and keeps what other processes have written to it. Blocks, also while what
    /// changed before is written in the background. Does nothing for a storage in memory, or if nothing has changed.
    public func save() throws(CookieFileError) {
        guard let keeper else { return }
        try keeper.file.queue.sync { write(to: keeper) }.get()
    }

    /// The same, and creates the file if it does not exist.
    package func saveAlways() throws(CookieFileError) {
        guard let keeper else { return }
        try keeper.file.queue.sync { write(to: keeper, always: !keeper.file.exists) }.get()
    }

    /// On the queue of the file.
    private func write(to keeper: Keeper, always: Bool = false) -> Result<Void, CookieFileError> {
        let changes = state.withLock { state in
            defer { (state.changes, state.willSave) = (CookieChanges(), false) }
            return state.changes
        }
        if changes.isEmpty, !always { return .success(()) }
        let result = Result { () throws(CookieFileError) in try keeper.write(changes) }
        state.withLock { state in
            guard case .failure(let error) = result else { return state.saveError = nil }
            let later = state.changes.cookies
            state.changes = changes
            state.changes.append(later)
            state.saveError = error
        }
        return result
    }

    /// Changes the jar; `body` returns the cookies that were set or have ended.
    private func change(_ body: (inout State, Date) -> [HTTPCookie]) {
        let now = Date()
        let keeper = state.withLock { state -> Keeper? in
            let changes = body(&state, now)
            guard let keeper = state.keeper, !changes.isEmpty else { return nil }
            state.changes.append(changes)
            defer { state.willSave = true }
            return state.willSave ? nil : keeper
        }
        // An error is kept for `saveError`.
        guard let keeper else { return }
        keeper.file.queue.async(after: .milliseconds(500)) { [weak self] in _ = self?.write(to: keeper) }
    }
}

extension HTTPCookieStorage {
    /// The content of a file with all cookies.
    package var netscapeBytes: [UInt8] { CookieText.bytes(of: cookies ?? []) }

    /// Stores the cookies of a file that some program has read.
    ///
    /// - Parameters:
    ///   - content: what was read.
    ///   - hosts: where the `Set-Cookie` fields that name no domain are from.
    package func add(_ content: CookieText, keepsSessionCookies: Bool, fieldsFrom hosts: [String]) {
        let fields = content.fieldsWithoutDomain.flatMap { field in
            hosts.compactMap { HTTPCookie(field, from: CookieOrigin(secureHost: $0), now: Date()) }
        }
        change { state, now in
            let cookies = (content.cookies + fields).filter { keepsSessionCookies || !$0.isSessionOnly }
            state.jar = CookieJar(state.jar.cookies(now: now) + cookies, now: now)
            return cookies
        }
    }
}

// On reactors
extension HTTPCookieStorage {
    /// The bytes of `Cookie` for a request; nil for none.
    func field(for request: URLRequest) -> [UInt8]? {
        guard let destination = try? request.destination.get(),
            !state.withLock({ $0.jar.isKnownToHaveNone(for: destination.origin) }),
            let origin = CookieOrigin(request)
        else { return nil }
        return state.withLock { $0.jar.field(for: origin, of: destination.origin, now: Date()) }
    }

    /// Stores what the `Set-Cookie` fields of a response from there set: the first 50 of them.
    func receive(_ fields: some Sequence<[UInt8]>, from origin: CookieOrigin) {
        let now = Date()
        let cookies = fields.prefix(SetCookie.maximumCount).compactMap { SetCookie($0) }.compactMap {
            HTTPCookie($0, from: origin, now: now)
        }
        if cookies.isEmpty { return }
        change { state, now in
            state.policy == .never ? [] : cookies.filter { state.jar.set($0, from: origin, now: now) }
        }
    }
}

extension HTTPCookie {
    /// The same cookie with an end in the past, which removes it where it is set.
    fileprivate var ended: HTTPCookie { HTTPCookie(self, expiresDate: .distantPast) }

    /// Whether a response from there may set the cookie.
    fileprivate func maySet(_ origin: CookieOrigin) -> Bool {
        if isSecure, !origin.isSecure { return false }
        return isHostOnly ? origin.host == domain : origin.isWithin(domain: host) && !PublicSuffixes.contains(host)
    }
}

extension HTTPCookie {
    /// The cookies that a response from `url` with these header fields sets. Several in one field, as dictionaries
    /// of header fields join them, are told apart where a token and an equals sign follow a comma, and line breaks.
    public static func cookies(withResponseHeaderFields headerFields: [String: String], for url: URL) -> [HTTPCookie] {
        guard let origin = CookieOrigin(url) else { return [] }
        let now = Date()
        return headerFields.filter { $0.key.lowercased() == "set-cookie" }.flatMap {
            SetCookie.split(Array($0.value.utf8))
        }
        .compactMap { SetCookie($0) }.compactMap { HTTPCookie($0, from: origin, now: now) }
    }

    /// The header fields that send these cookies: one `Cookie`, or none. As text: a storage sends values that are not
    /// UTF-8 as they came.
    public static func requestHeaderFields(with cookies: [HTTPCookie]) -> [String: String] {
        let pairs = cookies.map { $0.name.isEmpty ? $0.value : $0.name + "=" + $0.value }
        return cookies.isEmpty ? [:] : ["Cookie": pairs.joined(separator: "; ")]
    }
}

extension SetCookie {
    /// Takes apart fields that were joined with commas: at those that a token and an equals sign follow. A comma in a
    /// date or a value is followed by something else. A line break behind such a comma is none of a field's.
    static func split(_ joined: [UInt8]) -> [[UInt8]] {
        let isSpace = { (byte: UInt8) in byte.isBlank || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }
        var fields: [[UInt8]] = []
        for part in joined.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            let field = part.drop(while: isSpace)
            let rest = field.drop(while: \.isToken)
            let begins = rest.startIndex > field.startIndex && rest.drop(while: \.isBlank).first == UInt8(ascii: "=")
            if fields.isEmpty {
                fields.append(Array(part))
            } else if begins {
                fields.append(Array(field))
            } else {
                fields[fields.count - 1] += [UInt8(ascii: ",")] + part
            }
        }
        return fields
    }
}

/// What has changed in a jar since its file was written: the last change of each cookie. A cookie that was removed
/// stands here as one that has ended.
struct CookieChanges {
    private var changes: [HTTPCookie.Identity: (number: Int, cookie: HTTPCookie)] = [:]
    private var count = 0

    var isEmpty: Bool { changes.isEmpty }

    /// In the order in which they happened.
    var cookies: [HTTPCookie] { changes.values.sorted { $0.number < $1.number }.map(\.cookie) }

    /// A file that cannot be written must not let them grow: beyond the limit the oldest half is forgotten, but the jar
    /// in memory has it.
    mutating func append(_ cookies: some Sequence<HTTPCookie>) {
        for cookie in cookies {
            count += 1
            changes[cookie.identity] = (count, cookie)
        }
        guard changes.count > 4 * CookieJar.maximumCount else { return }
        let latest = self.cookies.suffix(2 * CookieJar.maximumCount)
        self = CookieChanges()
        append(latest)
    }
}
