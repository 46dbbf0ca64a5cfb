// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernSystem

/// What follows from a `Set-Cookie` field, and what every cookie has to be (RFC 6265bis).
extension HTTPCookie {
    /// Creates the cookie that a `Set-Cookie` field of a response sets; nil if the field is to be ignored (RFC 6265bis
    /// §5.7).
    init?(_ field: SetCookie, from origin: CookieOrigin, now: Date) {
        let host = origin.host
        var domain = host
        if let named = field.domain.map(InternationalizedNames.inDNS), named != host || !PublicSuffixes.contains(named)
        {
            guard named.utf8.allSatisfy({ $0 < 0x80 }), origin.isWithin(domain: named), !PublicSuffixes.contains(named)
            else { return nil }
            // An address has no hosts beneath it.
            domain = origin.isAddress ? named : "." + named
        }
        guard origin.isSecure || !field.isSecure else { return nil }
        let path = field.path ?? FieldValue(origin.defaultPath)
        self.init(
            Identity(name: field.name, domain: domain, path: path), value: field.value,
            expiresDate: Self.end(of: field, now), isSecure: field.isSecure, isHTTPOnly: field.isHTTPOnly,
            sameSitePolicy: field.sameSite)
        notes = field.notes?.received
        guard hasHostPrefix.map({ !$0 || field.domain == nil && field.path?.text == "/" }) ?? true else { return nil }
    }

    /// The latest end of a cookie: in 400 days (RFC 6265bis §5.5).
    static let maximumAge: Int64 = 400 * 86400

    private static func end(of field: SetCookie, _ now: Date) -> Date? {
        let left = field.maximumAge ?? field.expires.map { $0 - Int64(now.timeIntervalSince1970) }
        guard let left else { return nil }
        return left <= 0 ? .distantPast : now.addingTimeInterval(Double(min(left, maximumAge)))
    }

    /// Whether the cookie is for one host, and not for those beneath it.
    var isHostOnly: Bool { domain.first != "." }

    /// The domain without the dot at its beginning.
    var host: String { isHostOnly ? domain : String(domain.dropFirst()) }

    /// ASCII is the same in the texts as in the bytes.
    var isWellFormed: Bool {
        let isText = { (byte: UInt8) in byte >= 0x20 && byte != 0x7F && byte != 0x3B || byte == 0x09 }
        let (name, path, size) = (
            identity.name.text.utf8, identity.path.text.utf8, identity.name.count + valueBytes.count
        )
        return size > 0 && size <= SetCookie.maximumSize && path.first == UInt8(ascii: "/")
            && name.allSatisfy { isText($0) && $0 != 0x3D } && valueBytes.text.utf8.allSatisfy(isText)
            && path.allSatisfy(isText) && domain.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && isText($0) }
            && (domain == "." || !host.isEmpty && host.utf8.last != UInt8(ascii: "."))
    }

    /// Whether the name begins with `__Host-`; nil if it has no prefix that promises something (RFC 6265bis §4.1.3).
    private var hasHostPrefix: Bool? {
        let text = (identity.name.count == 0 ? valueBytes : identity.name).text.utf8
        if text.hasPrefix(of: "__host-") { return true }
        return text.hasPrefix(of: "__secure-") ? false : nil
    }

    var keepsPromises: Bool {
        if sameSitePolicy == SameSitePolicy.none, !isSecure { return false }
        guard let hasHostPrefix else { return true }
        return identity.name.count > 0 && isSecure && (!hasHostPrefix || isHostOnly && identity.path.text == "/")
    }

    /// Whether the cookie has ended.
    func hasEnded(by now: Date) -> Bool { expiresDate.map { $0 <= now } ?? false }

    /// What is sent of it.
    var pair: [UInt8] {
        identity.name.count == 0 ? valueBytes.bytes : identity.name.bytes + [0x3D] + valueBytes.bytes
    }

    /// The number of bytes of `pair`.
    var pairSize: Int { identity.name.count + valueBytes.count + (identity.name.count == 0 ? 0 : 1) }
}

extension String.UTF8View {
    /// Whether the bytes begin with this word of ASCII, which is in lower case; the case of ASCII letters is ignored.
    fileprivate func hasPrefix(of word: String) -> Bool { starts(with: word.utf8) { $0.lowercasedLetter == $1 } }
}
