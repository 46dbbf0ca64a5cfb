// SPDX-License-Identifier: Apache-2.0

/// The value of a `Set-Cookie` field, as RFC 6265bis §5.6 has it read. What it sets depends on the URL it came from:
/// ``HTTPCookie/init(_:from:now:)``.
struct SetCookie: Equatable {
    /// The most bytes of a name and its value together.
    static let maximumSize = 4096
    /// The most bytes of an attribute's value; longer ones are left out.
    static let maximumAttributeSize = 1024

    /// Empty for a cookie without a name.
    let name: String
    let value: String
    /// Without a dot at its beginning, in lower case; nil if there is none or it is empty.
    private(set) var domain: String?
    /// Begins with a slash; nil for the default.
    private(set) var path: String?
    /// Seconds since 1970.
    private(set) var expires: Int64?
    /// In seconds; comes before `expires`.
    private(set) var maximumAge: Int64?
    private(set) var isSecure = false
    private(set) var isHTTPOnly = false
    private(set) var sameSite: HTTPCookie.SameSitePolicy?

    /// Nil for a field that is to be ignored.
    init?(_ field: String) {
        guard field.utf8.allSatisfy({ $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }) else { return nil }
        // By bytes: a combining mark after a semicolon makes no other character of it.
        var parts = field.utf8.split(separator: 0x3B, omittingEmptySubsequences: false)[...]
        let (name, value) = Self.pair(Substring(parts.removeFirst()))
        self.name = value == nil ? "" : name
        self.value = value ?? name
        let size = self.name.utf8.count + self.value.utf8.count
        guard size > 0, size <= Self.maximumSize else { return nil }
        for part in parts {
            let (name, value) = Self.pair(Substring(part))
            take(name, value ?? "")
        }
    }

    /// The last attribute of a name counts.
    private mutating func take(_ name: String, _ value: String) {
        guard value.utf8.count <= Self.maximumAttributeSize else { return }
        switch name.lowercased() {
        case "expires": if let date = CookieDate.seconds(value) { expires = date }
        case "max-age": if let age = Self.age(value) { maximumAge = age }
        case "domain":
            let domain = (value.first == "." ? String(value.dropFirst()) : value).lowercased()
            self.domain = domain.isEmpty ? nil : domain
        case "path": path = value.utf8.first == UInt8(ascii: "/") ? value : nil
        case "secure": isSecure = true
        case "httponly": isHTTPOnly = true
        case "samesite": sameSite = HTTPCookie.SameSitePolicy(rawValue: value.lowercased())
        default: break
        }
    }

    /// A number that no integer holds is as good as the largest one, or the smallest.
    private static func age(_ text: String) -> Int64? {
        let digits = text.first == "-" ? text.dropFirst() : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text) ?? (text.first == "-" ? .min : .max)
    }

    /// Both sides of the first equals sign without the blanks around them; without such a sign there is no second one.
    private static func pair(_ text: Substring) -> (String, String?) {
        guard let sign = text.utf8.firstIndex(of: 0x3D) else { return (trimmed(text), nil) }
        return (trimmed(text[..<sign]), trimmed(text[text.utf8.index(after: sign)...]))
    }

    private static func trimmed(_ text: Substring) -> String {
        let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        var bytes = text.utf8.drop(while: isBlank)
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return String(Substring(bytes))
    }
}
