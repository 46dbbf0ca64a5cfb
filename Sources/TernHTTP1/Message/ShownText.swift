// SPDX-License-Identifier: Apache-2.0

/// What descriptions, logs and reports show of a text, such as the value of a field.
package enum ShownText {
    /// The text without the names and the passwords of the URLs in it (RFC 3986 §3.2.1), wherever they stand: in
    /// `Location`, in `Link` and `Refresh`, in the query of another URL, in a message.
    ///
    /// Userinfo ends at the last `@` before the path. A parser that disagrees must not make us show a password, so all
    /// text before it is removed, and no other character ends it.
    package static func withoutUserinfo(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "@")) else { return text }
        var (shown, rest) = ([UInt8](), Array(text.utf8)[...])
        let slash = UInt8(ascii: "/")
        while let byte = rest.popFirst() {
            shown.append(byte)
            // Some readers take one slash behind a scheme for two, and more than two, too.
            let isStart = {
                ["http:/", "ttps:/"].contains(String(decoding: shown.suffix(6), as: UTF8.self).lowercased())
            }
            guard byte == slash, rest.first == slash || isStart() else { continue }
            let slashes = rest.prefix { $0 == slash }
            shown += slashes
            rest = rest[slashes.endIndex...]
            let authority = rest.prefix { !"/?#".utf8.contains($0) }
            if let at = authority.lastIndex(of: UInt8(ascii: "@")) { rest = rest[(at + 1)...] }
        }
        return String(decoding: shown, as: UTF8.self)
    }
}
