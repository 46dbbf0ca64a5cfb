// SPDX-License-Identifier: Apache-2.0
package import FoundationEssentials
import TernSystem

/// A text that becomes a URL, by one rule for programs, users and servers.
///
/// In userinfo, path, query and fragment an escape that is there stays, and a character that may not stand there becomes
/// one, each once: to escape a text again changes nothing. A percent sign that begins no escape becomes `%25`, and a
/// backslash is not a slash. Text beyond ASCII becomes the escapes of its UTF-8; bytes that are no UTF-8 become the
/// escapes of themselves. A host beyond ASCII becomes its name in DNS, `xn--…` (``InternationalizedNames``). All else of scheme, host and
/// port stays as it is: an invalid host is refused later, and never repaired.
///
/// Foundation's `URL(string:)` does otherwise: it takes a component with one character that needs an escape for one
/// without any, and escapes its escapes again.
extension URIReference {
    /// The characters of path and query that stay as they are.
    enum Literals {
        /// Those that RFC 3986 §3.3 and §3.4 allow.
        case ofURIs
        /// All visible ASCII, also a percent sign that begins no escape: what curl sends of a typed URL.
        case visible
    }

    /// Reads the text in these bytes, escaped.
    init(escaping bytes: some Sequence<UInt8>, keeping literals: Literals = .ofURIs) {
        // Each byte as a character of its own, so that the parts are those of the bytes.
        var characters = String.UnicodeScalarView()
        for byte in bytes { characters.append(Unicode.Scalar(byte)) }
        self.init(String(characters))
        scheme = scheme.map { Self.text(Self.bytes($0)) }
        authority = authority.map(Self.authority)
        path = Self.escaped(path, keeping: literals)
        query = query.map { Self.escaped($0, keeping: literals) }
        fragment = fragment.map { Self.escaped($0, keeping: .ofURIs) }
    }

    /// Reads a Location as servers really send it; nil if it has a control character, which no honest server sends.
    ///
    /// - Parameter base: the scheme of the URL that was asked.
    init?(location bytes: some Collection<UInt8>, base: String? = nil) {
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
        self.init(escaping: URL.withTwoSlashes(bytes, base: base))
    }

    /// Whether escaping a text changes nothing, as a look at its bytes tells; true for most.
    static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0.mayStandInPath && $0 != UInt8(ascii: "@") }
    }

    /// The part's characters are bytes.
    private static func escaped(_ part: String, keeping literals: Literals) -> String {
        escaped(bytes(part)) { literals == .visible ? $0 > 0x20 && $0 < 0x7F : $0.mayStandInPath }
    }

    private static func escaped(_ bytes: [UInt8], isLiteral: (UInt8) -> Bool) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        for (index, byte) in bytes.enumerated() {
            let isEscape = byte == UInt8(ascii: "%") && bytes.dropFirst(index &+ 1).beginsWithTwoDigits
            if isLiteral(byte) || isEscape {
                output.append(byte)
            } else {
                output += [UInt8(ascii: "%"), (byte >> 4).hexDigit, (byte & 0xF).hexDigit]
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func authority(_ part: String) -> String {
        let bytes = bytes(part)
        guard let at = bytes.lastIndex(of: UInt8(ascii: "@")) else { return server(bytes) }
        // RFC 3986 §3.2.1. Another "@" stays, and is refused later.
        let userinfo = escaped(Array(bytes[..<at]), isLiteral: \.mayStandInPath)
        return "\(userinfo)@\(server(Array(bytes[(at + 1)...])))"
    }

    /// Host and port.
    private static func server(_ bytes: [UInt8]) -> String {
        let text = text(bytes)
        if bytes.first == UInt8(ascii: "[") { return withEscapedZone(text) }
        if bytes.allSatisfy({ $0 < 0x80 }) || text.utf8.contains(where: { "[]%".utf8.contains($0) }) { return text }
        let scalars = text.unicodeScalars
        let end = scalars.lastIndex(of: ":") ?? scalars.endIndex
        return InternationalizedNames.inDNS(String(scalars[..<end])) + String(scalars[end...])
    }

    /// An IPv6 address and the port, with a zone as RFC 6874 §2 writes it: after "%25". People type "%" (RFC 9844 §3).
    private static func withEscapedZone(_ text: String) -> String {
        let bytes = Array(text.utf8)
        guard let close = bytes.firstIndex(of: UInt8(ascii: "]")),
            let percent = bytes[..<close].firstIndex(of: UInt8(ascii: "%"))
        else { return text }
        let zone = bytes[(percent + 1)..<close]
        // "%25]" is the zone 25.
        if zone.isEmpty || zone.starts(with: "25".utf8) && zone.count > 2 { return text }
        return String(decoding: bytes[...percent] + "25".utf8 + bytes[(percent + 1)...], as: UTF8.self)
    }

    /// A text in ISO-8859-1, if it is no UTF-8.
    private static func text(_ bytes: [UInt8]) -> String {
        String(validating: bytes, as: UTF8.self) ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    private static func bytes(_ part: String) -> [UInt8] {
        part.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }
}

extension URL {
    /// Nil for a text without blanks and line ends at its ends.
    package static func withoutBlanksAround(_ text: String) -> String? {
        let isBlank = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        guard let first = text.utf8.first, let last = text.utf8.last, isBlank(first) || isBlank(last) else {
            return nil
        }
        let rest = text.utf8.drop(while: isBlank)
        guard let end = rest.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(Substring(rest[...end]))
    }

    /// The same text with two slashes in front of the host, if it is an http or https URL with another number of them: one
    /// and three are two for curl, and as many as there are for browsers (the URL Standard, "special" schemes).
    ///
    /// RFC 3986 has a path there, and Foundation no host. So this reads what a person types and what a Location has, and
    /// never the URL of a program, which may have looked at its host.
    ///
    /// - Parameter base: the scheme of the URL that the text is resolved against. One slash behind this scheme is a path of
    ///   the same host for browsers, and a host for curl: it stays as it is, and is refused.
    package static func withTwoSlashes(_ text: some Collection<UInt8>, base: String? = nil) -> [UInt8] {
        let bytes = Array(text)
        let scheme = String(decoding: bytes.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
        guard ["http", "https"].contains(scheme.lowercased()) else { return bytes }
        let rest = bytes.dropFirst(scheme.utf8.count + 1)
        let slashes = rest.prefix { $0 == UInt8(ascii: "/") }.count
        if slashes == 0 || slashes == 2 || slashes == 1 && scheme.lowercased() == base?.lowercased() { return bytes }
        return Array("\(scheme)://".utf8) + rest.dropFirst(slashes)
    }

    /// Creates the URL in a text, escaped by the rule of ``URIReference``; nil if there is none. A text without a scheme
    /// is not repaired; blanks and line ends around it are left out.
    package init?(escaping text: String) {
        let text = Self.withoutBlanksAround(text) ?? text
        if URIReference.isPlain(text) {
            self.init(string: text, encodingInvalidCharacters: false)
        } else {
            let reference = URIReference(escaping: text.utf8)
            self.init(
                string: reference.scheme == nil ? text : reference.description, encodingInvalidCharacters: false)
        }
    }
}

extension URL {
    /// Creates the target of a Location that a response for `base` has (RFC 9110 §10.2.2); nil if there is none.
    package init?(location bytes: some Collection<UInt8>, from base: URL) {
        let base = URIReference(base.absoluteString)
        guard let reference = URIReference(location: bytes, base: base.scheme) else { return nil }
        self.init(string: reference.resolved(against: base).description, encodingInvalidCharacters: false)
    }
}

extension ArraySlice<UInt8> {
    fileprivate var beginsWithTwoDigits: Bool {
        count >= 2 && prefix(2).allSatisfy(\.isHexDigit)
    }
}

extension UInt8 {
    /// RFC 3986 §3.3 to §3.5: a pchar without its escapes, or one of "/?". A path's question mark has ended it already.
    fileprivate var mayStandInPath: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "&")...UInt8(ascii: ";"), UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "="),
            UInt8(ascii: "?"), UInt8(ascii: "@"), UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    fileprivate var isHexDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    /// The hexadecimal digit of a number below sixteen (RFC 3986 §2.1: in upper case).
    fileprivate var hexDigit: UInt8 { self < 10 ? UInt8(ascii: "0") &+ self : UInt8(ascii: "A") &+ (self &- 10) }
}
