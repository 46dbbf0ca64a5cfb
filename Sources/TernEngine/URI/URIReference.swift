// SPDX-License-Identifier: Apache-2.0

/// A URI reference in its five parts (RFC 3986 §4.1), each as written and without its delimiters.
struct URIReference: Sendable, Hashable {
    var scheme: String?
    /// Empty in "//", nil if there is no "//" (RFC 3986 §5.3).
    var authority: String?
    var path: String
    var query: String?
    var fragment: String?

    /// Splits any text as RFC 3986 appendix B does, without validating the parts. Works on bytes: a combining mark
    /// after a delimiter makes another character of it, but not another delimiter.
    init(_ text: String) {
        var rest = Substring(text).utf8
        let head = rest.prefix { $0 != .colon && $0 != .slash && $0 != .questionMark && $0 != .hash }
        if !head.isEmpty, rest[head.endIndex...].first == .colon {
            scheme = String(Substring(head))
            rest = rest[head.endIndex...].dropFirst()
        }
        if rest.starts(with: "//".utf8) {
            let name = rest.dropFirst(2).prefix { $0 != .slash && $0 != .questionMark && $0 != .hash }
            authority = String(Substring(name))
            rest = rest[name.endIndex...]
        }
        let way = rest.prefix { $0 != .questionMark && $0 != .hash }
        path = String(Substring(way))
        rest = rest[way.endIndex...]
        if rest.first == .questionMark {
            let words = rest.dropFirst().prefix { $0 != .hash }
            query = String(Substring(words))
            rest = rest[words.endIndex...]
        }
        if rest.first == .hash { fragment = String(Substring(rest.dropFirst())) }
    }

    /// The number of bytes in its parts, without delimiters.
    var length: Int {
        [scheme, authority, path, query, fragment].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    }

    /// The part before the authority's last "@" (RFC 3986 §3.2.1).
    var userinfo: String? {
        guard let text = authority.map({ Substring($0).utf8 }), let at = text.lastIndex(of: .at) else { return nil }
        return String(Substring(text[..<at]))
    }

    /// The same reference with this userinfo in its authority, if it has one; nil removes it.
    func replacing(userinfo: String?) -> URIReference {
        guard let text = authority.map({ Substring($0).utf8 }) else { return self }
        let host = String(Substring(text.lastIndex(of: .at).map { text[$0...].dropFirst() } ?? text))
        var reference = self
        reference.authority = userinfo.map { "\($0)@\(host)" } ?? host
        return reference
    }
}

extension URIReference {
    /// The same reference with the scheme https, and without port 80, whose counterpart is https's own (RFC 6797 §8.3).
    var secured: URIReference {
        var reference = self
        reference.scheme = "https"
        guard let text = authority?.utf8, let colon = text.lastIndex(of: .colon) else { return reference }
        let port = text[text.index(after: colon)...]
        guard port.allSatisfy({ (0x30...0x39).contains($0) }), port.isEmpty || Int(Substring(port)) == 80 else {
            return reference
        }
        reference.authority = String(Substring(text[..<colon]))
        return reference
    }
}

extension URIReference: CustomStringConvertible {
    /// The parts joined again (RFC 3986 §5.3). Contains any secrets of the reference.
    var description: String {
        var text = ""
        if let scheme { text += scheme + ":" }
        if let authority { text += "//" + authority }
        text += path
        if let query { text += "?" + query }
        if let fragment { text += "#" + fragment }
        return text
    }
}

extension UInt8 {
    fileprivate static let colon = UInt8(ascii: ":")
    fileprivate static let slash = UInt8(ascii: "/")
    fileprivate static let questionMark = UInt8(ascii: "?")
    fileprivate static let hash = UInt8(ascii: "#")
    fileprivate static let at = UInt8(ascii: "@")
}
