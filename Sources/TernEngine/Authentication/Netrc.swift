// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
import TernFiles
public import TernIO
import TernSystem

/// The names and passwords of a netrc file, which ftp(1) and curl read, too: one entry for each host. No session reads
/// one unless ``SessionConfiguration/netrc`` has it.
///
/// The words are `machine`, `default`, `login`, `password`, `account`, which is read and not used, and `macdef`, whose
/// macro ends at an empty line. A word in double quotes may have blanks in it, and the escapes `\"`, `\\`, `\n`, `\r` and
/// `\t`. A line that begins with `#` is a comment. What cannot be read is left out, and is one of the ``warnings``: it
/// spoils no other line.
///
/// A value. Any thread, any time.
public struct Netrc: Sendable {
    /// In bytes.
    private static let maximumLength = 4 * 1024 * 1024

    /// What was left out of a file. It repeats no word of the file, which may be part of a password.
    public struct Warning: Sendable, Hashable {
        /// Why something was left out.
        public enum Reason: Sendable, Hashable {
            /// A word stands where one of the file's own is expected, as does the second word of a password that has a
            /// blank and no quotes. It was skipped.
            case unknownWord
            /// The value of a word is missing at the end of the file.
            case missingValue
            /// A quote is not closed on its line. The line was skipped.
            case unterminatedQuote
            /// A name or a password belongs to no host. It was skipped.
            case withoutHost
        }

        /// The number of the line, from 1.
        public let line: Int
        /// Why something was left out.
        public let reason: Reason
    }

    fileprivate struct Entry {
        var login: [UInt8]?
        var password: [UInt8]?
    }

    /// What was left out, in the order of the lines: one for each line at most.
    public let warnings: [Warning]
    /// The schemes that may send the passwords. With Basic alone a password is sent at once, as curl does it; otherwise
    /// once the server requests one.
    public let schemes: PasswordCredential.Schemes

    private let entries: [Entry]
    /// The places of the entries of each host, in lower case.
    private let places: [String: [Int]]
    /// The places of the entries of `default`, which stand for every host.
    private let defaults: [Int]

    /// Reads the content of a file. Never fails: see ``warnings``.
    ///
    /// - Parameters:
    ///   - content: the bytes of a file. Names and passwords are sent as the bytes that they are.
    ///   - schemes: the schemes that may send the passwords.
    public init(_ content: some Sequence<UInt8>, schemes: PasswordCredential.Schemes = .basic) {
        var reader = NetrcReader()
        let text = Array(content).withoutByteOrderMark
        for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) { reader.read(line) }
        reader.finish()
        (warnings, entries, places, defaults) = (reader.warnings, reader.entries, reader.places, reader.defaults)
        self.schemes = schemes
    }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - file: the location of the file, at most 4 MB long. Symbolic links are followed. Blocks while it is read.
    ///   - schemes: the schemes that may send the passwords.
    /// - Throws: ``NetrcError``, also if the file has passwords and others than its owner may read it.
    public init(file: URL, schemes: PasswordCredential.Schemes = .basic) throws(NetrcError) {
        let path = file.path(percentEncoded: false)
        let content: (bytes: [UInt8], permissions: UInt32, owner: UInt32)?
        do throws(SystemCallError) {
            content = try FileContent.readWithAccess(path, limit: Self.maximumLength)
        } catch {
            throw .unreadable(path: path, error)
        }
        guard let content else { throw .missing(path: path) }
        self.init(content.bytes, schemes: schemes)
        if content.permissions & 0o044 != 0, entries.contains(where: { $0.password != nil }) {
            throw .exposed(path: path, mode: content.permissions)
        }
    }

    /// The name and the password for a host; nil without an entry.
    ///
    /// The first entry with a password counts, that of `default` included, where it stands in the file; without one the
    /// first entry, with an empty password.
    ///
    /// - Parameters:
    ///   - host: a host as in a URL, in any case; an IPv6 address without brackets.
    ///   - user: the name that the entry must have; nil for any. A password without a name is for every name, after the
    ///     entries that have this one.
    public func credential(forHost host: String, user: String? = nil) -> PasswordCredential? {
        credential(forHost: host, user: user.map { Array($0.utf8) }, includingDefault: true)
    }

    package func credential(
        forHost host: String, user: [UInt8]?, includingDefault: Bool = true
    ) -> PasswordCredential? {
        let own = places[InternationalizedNames.inDNS(host).lowercased()] ?? []
        let places = defaults.isEmpty || !includingDefault ? own : (own + defaults).sorted()
        var candidates = places.map { entries[$0] }
        if let user {
            // A password without a name is for any, behind the entries that have the name.
            candidates =
                candidates.filter { $0.login == user } + candidates.filter { $0.login == nil && $0.password != nil }
        }
        guard let entry = candidates.first(where: { $0.password != nil }) ?? candidates.first else { return nil }
        return PasswordCredential(user: entry.login ?? user ?? [], password: entry.password ?? [], schemes: schemes)
    }

    /// The credential for a hop: where its request has one of its own, or its URL, only a password that is missing
    /// there. Where a redirect has led to another origin, the entry must name the host: a server that redirects does not
    /// choose who gets the password of `default`.
    func credential(for hop: Hop) -> PasswordCredential? {
        guard let host = hop.request.host else { return nil }
        guard hop.mayCarryCredentials, let given = hop.request.credential ?? hop.request.urlCredential else {
            return credential(forHost: host, user: nil, includingDefault: hop.mayCarryCredentials)
        }
        return given.passwordBytes.isEmpty ? credential(forHost: host, user: given.userBytes) : nil
    }
}

extension Netrc: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The number of entries, without names and passwords.
    public var description: String { "\(entries.count) entries" }

    /// The same.
    public var debugDescription: String { description }

    /// A dump shows the same.
    public var customMirror: Mirror { Mirror(self, children: ["entries": entries.count]) }
}

extension Netrc.Warning: CustomStringConvertible {
    public var description: String {
        switch reason {
        case .unknownWord: "line \(line): a word is unknown, and skipped"
        case .missingValue: "line \(line): the value of the last word is missing"
        case .unterminatedQuote: "line \(line): a quote is not closed, and the line is skipped"
        case .withoutHost: "line \(line): a name or a password without a host is skipped"
        }
    }
}

/// Why a netrc file was not read. What is wrong with a line is none of these: see ``Netrc/warnings``.
public enum NetrcError: Error, Sendable, Hashable {
    /// There is no file.
    case missing(path: String)
    /// The file cannot be read, is no regular file, or is longer than 4 MB.
    case unreadable(path: String, SystemCallError)
    /// The file has passwords, and its group or everybody may read it. Its owner alone should: mode 600.
    ///
    /// - Parameter mode: the permissions, as of stat(2).
    case exposed(path: String, mode: UInt32)
}

extension NetrcError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .missing(let path): "there is no file \(path)"
        case .unreadable(let path, let error): "cannot read \(path): \(error)"
        case .exposed(let path, let mode):
            "others may read the passwords in \(path), whose mode is \(String(mode, radix: 8)): make it 600"
        }
    }
}

/// Reads a netrc file, line by line.
private struct NetrcReader {
    private enum Word {
        case machine, login, password, account
    }

    private(set) var warnings: [Netrc.Warning] = []
    private(set) var entries: [Netrc.Entry] = []
    private(set) var places: [String: [Int]] = [:]
    private(set) var defaults: [Int] = []

    private var number = 0
    private var isInMacro = false
    /// The last entry; nil if what follows belongs to none.
    private var current: Int?
    /// The word whose value is next, and its line.
    private var open: (word: Word, line: Int)?

    /// Reads the next line, without its end.
    mutating func read(_ line: ArraySlice<UInt8>) {
        number += 1
        let rest = line.drop(while: Self.isBlank)
        if isInMacro {
            isInMacro = !rest.isEmpty
            return
        }
        if rest.first == UInt8(ascii: "#") { return }
        guard let words = Self.words(of: rest) else { return skip(rest) }
        for word in words {
            if word.first == UInt8(ascii: "#"), open == nil { return }
            take(word)
            if isInMacro { return }
        }
    }

    /// The file has ended.
    mutating func finish() {
        guard let (_, line) = open else { return }
        (open, number) = (nil, line)
        warn(.missingValue)
    }

    private mutating func take(_ word: [UInt8]) {
        if let (meaning, _) = open {
            open = nil
            return set(meaning, to: word)
        }
        switch Self.lowercased(word) {
        case "machine": open = (.machine, number)
        case "login": open = (.login, number)
        case "password": open = (.password, number)
        case "account": open = (.account, number)
        case "default":
            defaults.append(entries.count)
            begin()
        case "macdef": (isInMacro, current) = (true, nil)
        default: warn(.unknownWord)
        }
    }

    private mutating func set(_ word: Word, to value: [UInt8]) {
        if case .machine = word {
            places[InternationalizedNames.inDNS(Self.lowercased(value)), default: []].append(entries.count)
            return begin()
        }
        guard let current else { return warn(.withoutHost) }
        switch word {
        case .login: entries[current].login = value
        case .password: entries[current].password = value
        case .account, .machine: break
        }
    }

    private mutating func begin() {
        current = entries.count
        entries.append(Netrc.Entry())
    }

    /// The line is not read. Where it may have named a host, what follows must not become another one's.
    private mutating func skip(_ line: ArraySlice<UInt8>) {
        warn(.unterminatedQuote)
        let names = line.split(whereSeparator: Self.isBlank).map { Self.lowercased($0) }
        let mayNameHost = names.contains { ["machine", "default", "macdef"].contains($0) }
        if case .machine? = open?.word { current = nil }
        if mayNameHost { current = nil }
        open = nil
    }

    private mutating func warn(_ reason: Netrc.Warning.Reason) {
        if warnings.last?.line == number { return }
        warnings.append(Netrc.Warning(line: number, reason: reason))
    }

    /// The words of a line; nil if a quote is not closed.
    private static func words(of line: ArraySlice<UInt8>) -> [[UInt8]]? {
        var (words, rest) = ([[UInt8]](), line)
        while let first = rest.first {
            if isBlank(first) {
                rest = rest.drop(while: isBlank)
            } else if first == UInt8(ascii: "\"") {
                guard let word = quoted(&rest) else { return nil }
                words.append(word)
            } else {
                let word = rest.prefix { !isBlank($0) }
                words.append(Array(word))
                rest = rest.dropFirst(word.count)
            }
        }
        return words
    }

    /// Takes a word in quotes from the beginning of a line; nil if it does not end there.
    private static func quoted(_ line: inout ArraySlice<UInt8>) -> [UInt8]? {
        var (word, isEscaped) = ([UInt8](), false)
        line = line.dropFirst()
        while let byte = line.popFirst() {
            switch byte {
            case _ where isEscaped:
                word.append(unescaped(byte))
                isEscaped = false
            case UInt8(ascii: "\\"): isEscaped = true
            case UInt8(ascii: "\""): return word
            default: word.append(byte)
            }
        }
        return nil
    }

    private static func unescaped(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: byte
        }
    }

    /// Blanks and control characters, as in curl.
    private static func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 }

    private static func lowercased(_ word: some Sequence<UInt8>) -> String {
        String(decoding: Array(word), as: UTF8.self).lowercased()
    }
}
