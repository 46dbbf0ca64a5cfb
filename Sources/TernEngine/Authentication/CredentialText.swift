// SPDX-License-Identifier: Apache-2.0

/// One credential of a file.
struct CredentialRecord: Sendable {
    struct Key: Hashable, Sendable {
        let space: ProtectionSpace
        let user: String
    }

    /// What has made it a credential of its space.
    enum Standing: String {
        /// The program, which has made it the default one of its space.
        case `default`
        /// The program, in this space.
        case set = "-"
        /// Only that servers have accepted it.
        case accepted
    }

    let space: ProtectionSpace
    let password: PasswordCredential
    let standing: Standing

    var key: Key { Key(space: space, user: password.user) }
    var credential: Credential { Credential(password, persistence: .permanent) }
}

/// The content of a file of credentials: a line for each, with blanks between its words, and escapes as in a URL.
///
///     tern-1 NSURLAuthenticationMethodHTTPBasic https example.com 443 =realm 3 default =user =password .
///
/// The word before the name is the `CredentialRecord.Standing`. The end word marks a complete line. A line that is none
/// of these spoils nothing but itself, and is kept.
struct CredentialText {
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
            let standing = CredentialRecord.Standing(rawValue: text(words[7])), let user = value(words[8]),
            let password = value(words[9])
        else { return nil }
        let realm = value(words[5])
        guard realm != nil || text(words[5]) == "-" else { return nil }
        return CredentialRecord(
            space: ProtectionSpace(
                host: host, port: port, protocol: scheme == "-" ? nil : scheme,
                realm: realm.map { String(decoding: $0, as: UTF8.self) },
                authenticationMethod: ProtectionSpace.AuthenticationMethod(rawValue: method)),
            password: PasswordCredential(
                user: user, password: password, schemes: PasswordCredential.Schemes(rawValue: schemes)),
            standing: standing)
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
                "\(record.password.schemes.rawValue)", record.standing.rawValue,
                "=" + PercentEncoding.component(record.password.userBytes),
                "=" + PercentEncoding.component(record.password.passwordBytes), end,
            ]
            bytes += Array(words.joined(separator: " ").utf8) + [lineFeed]
        }
        return bytes
    }
}
