// SPDX-License-Identifier: Apache-2.0

/// A URL as typed, before it is parsed, with curl's rules for typed URLs.
struct TypedURL {
    let text: String

    init(_ text: String) { self.text = text }

    /// - Throws: a failure for a space, and for what curl would expand to several URLs.
    func check(allowsBrackets: Bool) throws(CommandFailure) {
        if text.contains(" "), !authority.contains(" ") {
            throw CommandFailure(.malformedURL, "\"\(text.prefix(200))\": the URL contains a space; write %20")
        }
        if allowsBrackets { return }
        guard let bracket = parts.rest.first(where: { "[]{}".contains($0) }) else { return }
        throw CommandFailure(
            .malformedURL,
            "\"\(text.prefix(200))\": tern does not expand [1-3] and {a,b}; give each URL, or -g to send \"\(bracket)\" unchanged"
        )
    }

    /// The same without "." and ".." segments in its path (RFC 3986 §5.2.4).
    var withoutDotSegments: String {
        let (start, rest) = parts
        let path = rest.prefix { $0 != "?" && $0 != "#" }
        guard path.hasPrefix("/"), path.contains("/.") else { return text }
        var segments: [Substring] = []
        let all = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in all.enumerated() {
            let isLast = index == all.count - 1
            switch segment {
            case ".": if isLast { segments.append("") }
            case "..":
                _ = segments.popLast()
                if isLast { segments.append("") }
            default: segments.append(segment)
            }
        }
        return start + "/" + segments.joined(separator: "/") + rest.dropFirst(path.count)
    }

    private var authority: Substring {
        let start = parts.start
        return start.firstRange(of: "://").map { start[$0.upperBound...] } ?? start
    }

    /// Scheme and authority, and the rest.
    private var parts: (start: Substring, rest: Substring) {
        let afterScheme = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? text[...]
        let authority = afterScheme.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        return (text[..<authority.endIndex], text[authority.endIndex...])
    }
}
