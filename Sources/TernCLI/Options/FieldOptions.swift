// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine
import TernFiles
import TernSystem

/// The header fields, with curl's option names.
struct FieldOptions: OptionGroup {
    static var table: OptionTable<Self> {
        OptionTable(
            .value(
                "-H", "--header", as: "field", repeats: true,
                help: """
                    Add a header field; repeat for more. "Name:" omits one that is sent otherwise, "Name;" sends it empty, \
                    "@file" reads a field from each line, and skips lines that are none.
                    """
            ) { $0.headers.append($1.text) },
            .value("-A", "--user-agent", as: "name", help: "Send this User-Agent; an empty one omits it.") {
                $0.userAgent = $1.text
            },
            .value(
                "-e", "--referer", as: "url",
                help: "Send this Referer; with \";auto\" at its end, or alone, each redirect sends the URL before it."
            ) { $0.referer = $1.given },
            .group(\.credentials, "Credentials"),
            .value(
                "--sensitive", as: "name", repeats: true,
                help: """
                    Treat this header field like credentials: -v hides its value, also that of a query item of this name, and no \
                    redirect sends it to another origin. Repeat for more.
                    """
            ) { $0.sensitiveFields.append($1.text) })
    }

    /// For bodies that may be decoded.
    static var compression: OptionTable<Self> {
        OptionTable(
            .toggle("--compressed", help: "Accept a compressed body, and write it decompressed.") {
                $0.isCompressed = $1
            })
    }

    var headers: [String] = []
    var userAgent: String?
    var referer: String?
    var credentials = CredentialOptions()
    var isCompressed = false
    var sensitiveFields: [String] = []

    /// The files it reads.
    var inputs: [String] { headers.filter { $0.hasPrefix("@") }.map { String($0.dropFirst()) } }

    private static let automatic = ";auto"

    /// Whether the request of a redirect names the URL that led to it.
    var updatesReferer: Bool { referer?.hasSuffix(Self.automatic) == true }

    /// The Referer of the first request; nil for none.
    private var firstReferer: String? {
        let first = updatesReferer ? referer.map { String($0.dropLast(Self.automatic.count)) } : referer
        return first?.isEmpty == true ? nil : first
    }

    /// The fields of the options, in order. As in curl, those of `-H` take the place of those that other options make.
    func given() throws -> [HeaderOption] {
        var own = try HeaderOption.all(of: headers, for: "-H")
        // As in curl, the first one counts.
        if let host = own.firstIndex(where: \.isHost) {
            own = own.enumerated().filter { $0 == host || !$1.isHost }.map(\.element)
        }
        let names = Set(own.map { $0.name.lowercased() })
        var all = own
        if let userAgent, !names.contains("user-agent") {
            all.append(
                userAgent.isEmpty ? .remove(name: "User-Agent") : .add(name: "User-Agent", value: userAgent))
        }
        if let referer = firstReferer, !names.contains("referer") { all.append(.add(name: "Referer", value: referer)) }
        if own.contains(where: { $0.omittedName == "host" }) {
            throw UsageError("-H \"Host:\": every request of HTTP/1.1 has it")
        }
        if let authorization = credentials.authorization, !names.contains("authorization") {
            all.append(.add(name: "Authorization", value: authorization))
        }
        return all
    }
}

/// A field of `-H`, in curl's syntax.
enum HeaderOption {
    /// `Name: value`, or `Name;` for an empty one.
    case add(HeaderField)
    /// `Name:` removes a field that would be sent otherwise.
    case remove(name: String)

    /// Those of an option's texts and, behind "@", of its files.
    static func all(of texts: [String], for option: String) throws -> [HeaderOption] {
        try texts.flatMap { text in
            guard text.hasPrefix("@") else { return try HeaderOption(text, of: option).map { [$0] } ?? [] }
            return all(in: try InputFile.read(String(text.dropFirst()), for: option))
        }
    }

    fileprivate var isHost: Bool { name.lowercased() == "host" }

    /// Nil for blanks, as scripts make them of a variable that is not set.
    init?(_ text: String, of option: String) throws {
        if let field = Self(field: text) {
            self = field
        } else if Self.trimmed(text[...]).isEmpty {
            return nil
        } else {
            throw UsageError(
                "\(option) \"\(text)\": a header field needs a colon, or a semicolon at the end if it is to be empty")
        }
    }

    /// Nil for what is no field.
    private init?(field text: String) {
        if let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) {
            let name = String(text[..<colon])
            let value = Self.trimmed(text[text.utf8.index(after: colon)...])
            self = value.isEmpty ? .remove(name: name) : .add(name: name, value: value)
        } else if text.hasSuffix(";") {
            self = .add(name: String(text.dropLast()), value: "")
        } else {
            return nil
        }
    }

    /// Without the blanks around it; a combining mark does not make another character of one.
    private static func trimmed(_ value: Substring) -> String {
        let scalars = value.unicodeScalars.drop { $0 == " " || $0 == "\t" }
        guard let last = scalars.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
        return String(Substring(scalars[...last]))
    }

    /// A field with the bytes of an argument.
    static func add(name: String, value: String) -> HeaderOption {
        .add(HeaderField(name: name, bytes: ByteText.bytes(of: value)))
    }

    /// The fields in a file, one on each line. As in curl, a line that is none, such as a comment, is skipped.
    static func all(in file: Data) -> [HeaderOption] {
        file.withoutByteOrderMark.split(separator: UInt8(ascii: "\n")).map {
            $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0
        }
        .filter { $0.first != UInt8(ascii: "#") }.compactMap { HeaderOption(field: ByteText.text(of: $0)) }
    }

    var name: String {
        switch self {
        case .add(let field): field.name
        case .remove(let name): name
        }
    }

    /// `Transfer-Encoding: chunked`
    var asksForChunks: Bool {
        guard case .add(let field) = self else { return false }
        return field.name.lowercased() == "transfer-encoding" && field.value.lowercased() == "chunked"
    }

    /// The field that is added; nil for one that is removed.
    var added: HeaderField? { if case .add(let field) = self { field } else { nil } }

    /// The name of a field that is removed, in lower case; nil for one that is added.
    var omittedName: String? { if case .remove(let name) = self { name.lowercased() } else { nil } }
}

/// The credentials of a request, with curl's option names.
struct CredentialOptions: OptionGroup, Equatable {
    static var table: OptionTable<Self> {
        OptionTable(
            .value(
                "-u", "--user", as: "user:password",
                help:
                    "Authenticate with this name and password. Every user of this machine can see the password: -H @file hides your "
                    + "own Authorization field."
            ) { $0.user = $1.given },
            .toggle("--basic", help: "Send -u with HTTP Basic, without waiting for a challenge: the default.") {
                $0.use(.basic, $1)
            },
            .toggle("--digest", help: "Send -u with HTTP Digest, when the server requests it.") {
                $0.use(.digest, $1)
            },
            .toggle(
                "--anyauth",
                help: "Send -u in the safest way that the server offers, when it requests it: Digest or Basic."
            ) { if $1 { $0.chosenSchemes = .all } },
            .value("--oauth2-bearer", as: "token", help: "Send this bearer token (RFC 6750).") {
                $0.bearer = $1.given
            },
            .toggle(
                "-n", "--netrc",
                help: """
                    Authenticate with the name and the password for the host in $NETRC, or else ~/.netrc, rather than those \
                    of the URL. Others should not be able to read the file.
                    """
            ) { $0.usesNetrc = $1 },
            .value("--netrc-file", as: "file", help: "The same with this file.") { $0.netrcFile = $1.given },
            .toggle(
                "--netrc-optional",
                help: "The same, but the URL's name and password come first, and there may be no file."
            ) { $0.isNetrcOptional = $1 })
    }

    var user: String?
    var chosenSchemes: PasswordCredential.Schemes = []
    var bearer: String?
    var usesNetrc = false
    var netrcFile: String?
    var isNetrcOptional = false

    private var schemes: PasswordCredential.Schemes { chosenSchemes.isEmpty ? .basic : chosenSchemes }

    /// Whether the password is sent by Digest alone, so that the first request may go without its content.
    var usesDigest: Bool { schemes == .digest }

    private mutating func use(_ scheme: PasswordCredential.Schemes, _ isOn: Bool) {
        if isOn { chosenSchemes.formUnion(scheme) } else { chosenSchemes.subtract(scheme) }
    }

    /// The option that gives the credentials; nil for none.
    var option: String? { user != nil ? "-u" : bearer != nil ? "--oauth2-bearer" : nil }

    /// Whether a file of names and passwords is read.
    var readsNetrc: Bool { usesNetrc || netrcFile != nil || isNetrcOptional }

    func validate() throws {
        if let user, !user.utf8.contains(UInt8(ascii: ":")) {
            throw UsageError("-u: give user:password; tern does not prompt for a password")
        }
        if schemes != .basic, bearer != nil {
            throw UsageError("--oauth2-bearer is sent as it is: leave out --digest and --anyauth")
        }
    }

    /// The names and passwords of a file; nil for none.
    ///
    /// - Parameter isSilent: whether what is left out of the file is not told.
    func netrc(isSilent: Bool) throws -> Netrc? {
        guard readsNetrc else { return nil }
        let variables = ProcessInfo.processInfo.environment
        let home = variables["HOME"] ?? FileManager.default.homeDirectoryForCurrentUser.path(percentEncoded: false)
        let path = netrcFile ?? variables["NETRC"].flatMap { $0.isEmpty ? nil : $0 } ?? home + "/.netrc"
        let option = netrcFile != nil ? "--netrc-file" : usesNetrc ? "-n" : "--netrc-optional"
        do throws(NetrcError) {
            let netrc = try Netrc(commandFile: path, schemes)
            for warning in isSilent ? [] : netrc.warnings {
                StandardStreams.tell("tern: \(option): \(path), \(warning)")
            }
            return netrc
        } catch {
            switch error {
            case .missing where isNetrcOptional: return nil
            case .exposed:
                // As in curl, it is used: a secret that a container mounts is often readable for all.
                if !isSilent { StandardStreams.tell("tern: \(option): \(error)") }
                return Netrc(try InputFile.read(path, for: option), schemes: schemes)
            case .missing, .unreadable: break
            }
            throw CommandFailure(.unreadable, "\(option): \(error)")
        }
    }

    /// Takes the password for the name in the URL from a file: in place of the one there, unless that comes first.
    func complete(_ request: inout URLRequest, from netrc: Netrc) {
        guard let inURL = request.credential, let host = request.host,
            !isNetrcOptional || inURL.passwordBytes.isEmpty,
            let entry = netrc.credential(forHost: host, user: inURL.userBytes)
        else { return }
        request.credential = entry
    }

    /// The value of an `Authorization` field that is sent without waiting for a challenge.
    var authorization: String? {
        if let bearer { return "Bearer " + bearer }
        guard let user, schemes == .basic else { return nil }
        return BasicScheme.authorization(ByteText.bytes(of: user))
    }

    /// Has the request answer challenges, or sends the name and password of its URL as curl does.
    func apply(to request: inout URLRequest) {
        if bearer == nil, let user {
            guard schemes != .basic else { return }
            let bytes = ByteText.bytes(of: user)
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
            request.credential = PasswordCredential(
                user: Array(bytes[..<colon]), password: Array(bytes[colon...].dropFirst()), schemes: schemes)
        } else if let inURL = request.credential {
            if schemes == .basic, request.value(forHTTPHeaderField: "Authorization") == nil {
                request.setValue(BasicScheme.uncheckedAuthorization(inURL), forHTTPHeaderField: "Authorization")
            }
            request.credential = PasswordCredential(
                user: inURL.userBytes, password: inURL.passwordBytes, schemes: schemes)
        }
    }
}

extension Netrc {
    /// A file, or a pipe, which only its reader has.
    fileprivate init(commandFile path: String, _ schemes: PasswordCredential.Schemes) throws(NetrcError) {
        if FileStatus(of: path)?.kind == .other, let content = try? InputFile.contents(of: path) {
            self.init(content, schemes: schemes)
        } else {
            try self.init(file: URL(filePath: path), schemes: schemes)
        }
    }
}
