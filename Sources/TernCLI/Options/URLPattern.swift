// SPDX-License-Identifier: Apache-2.0

/// The URLs that a text of the command line stands for, by curl's rules: `{a,b}` is each of the words, `[1-10]`,
/// `[001-100:2]` and `[a-z]` each number or letter of a range. The last pattern of a text changes fastest.
struct URLPattern {
    /// The most that one text may stand for.
    static let maximumCount = 10_000

    private enum Part {
        case text(String)
        case words([String])
    }

    private var parts: [Part] = []
    /// The number of URLs.
    private(set) var count = 1

    /// Whether the text is one URL, as it is.
    static func isPlain(_ text: String) -> Bool {
        !text.utf8.contains { byte in
            switch byte {
            case UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "\\"): true
            default: false
            }
        }
    }

    /// The text as it is.
    init(plain text: String) { parts = [.text(text)] }

    /// - Throws: curl's failure for a pattern that is none.
    init(_ text: String) throws(CommandFailure) {
        var reader = PatternReader(text)
        var fixed = ""
        while let character = reader.rest.popFirst() {
            switch character {
            case "\\":
                if let next = reader.rest.first, "[]{}".contains(next) {
                    fixed.append(next)
                    reader.rest.removeFirst()
                } else {
                    fixed.append(character)
                }
            case "[":
                if let address = reader.address() {
                    fixed += "[" + address
                } else if let empty = reader.empty("]") {
                    fixed += "[" + empty
                } else {
                    try append(&fixed, reader.range(), text)
                }
            case "{":
                if let empty = reader.empty("}") {
                    fixed += "{" + empty
                } else {
                    try append(&fixed, reader.words(), text)
                }
            case "]", "}": throw reader.failure("\"\(character)\" closes nothing")
            default: fixed.append(character)
            }
        }
        parts.append(.text(fixed))
    }

    private mutating func append(_ fixed: inout String, _ words: [String], _ text: String) throws(CommandFailure) {
        if !fixed.isEmpty { parts.append(.text(fixed)) }
        fixed = ""
        parts.append(.words(words))
        let (product, overflows) = count.multipliedReportingOverflow(by: words.count)
        guard !overflows, product <= Self.maximumCount else {
            throw CommandFailure(
                .malformedURL, "\"\(text.prefix(200))\" stands for more than \(Self.maximumCount) URLs")
        }
        count = product
    }

    /// The URL at an index below ``count``, and the words of its patterns.
    subscript(index: Int) -> (text: String, words: [String]) {
        var rest = index
        var texts: [String] = []
        var chosen: [String] = []
        for part in parts.reversed() {
            switch part {
            case .text(let text): texts.append(text)
            case .words(let words):
                let word = words[rest % words.count]
                rest /= words.count
                texts.append(word)
                chosen.append(word)
            }
        }
        return (texts.reversed().joined(), chosen.reversed())
    }

    /// A file name with the words in place of `#1`, `#2` and so on; other numbers stay.
    static func replacing(_ words: [String], in name: String) -> String {
        guard !words.isEmpty, name.contains("#") else { return name }
        var result = ""
        var rest = Substring(name)
        while let character = rest.popFirst() {
            let digits = character == "#" ? rest.prefix { $0.isASCII && $0.isNumber } : ""
            if let number = Int(digits), words.indices.contains(number - 1) {
                result += words[number - 1]
                rest = rest.dropFirst(digits.count)
            } else {
                result.append(character)
            }
        }
        return result
    }
}

/// Reads the patterns of a text, each behind its opening bracket.
private struct PatternReader {
    private let text: String
    var rest: Substring

    init(_ text: String) {
        self.text = text
        rest = text[...]
    }

    func failure(_ reason: String) -> CommandFailure {
        let column = text.distance(from: text.startIndex, to: rest.startIndex)
        return CommandFailure(
            .malformedURL,
            "\"\(text.prefix(200))\": \(reason) (character \(column)); -g sends brackets and braces unchanged")
    }

    /// The rest of an IPv6 literal, with its bracket; nil for anything else.
    mutating func address() -> String? {
        let inside = rest.prefix { $0 != "]" }
        let digits = inside.prefix { $0 != "%" }
        guard inside.endIndex < rest.endIndex, digits.count(where: { $0 == ":" }) > 1,
            digits.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." })
        else { return nil }
        rest = rest[inside.endIndex...].dropFirst()
        return inside + "]"
    }

    /// Takes a bracket that closes nothing but the one before it: as in curl, `[]` and `{}` stand for themselves.
    mutating func empty(_ closing: Character) -> String? {
        guard rest.first == closing else { return nil }
        rest.removeFirst()
        return String(closing)
    }

    mutating func words() throws(CommandFailure) -> [String] {
        var words = [""]
        while let character = rest.popFirst() {
            switch character {
            case "}":
                return words
            case ",":
                if words.count == URLPattern.maximumCount {
                    throw failure("more than \(URLPattern.maximumCount) words")
                }
                words.append("")
            case "{", "[", "]": throw failure("\"\(character)\" is not allowed within braces")
            case "\\":
                guard let next = rest.popFirst() else { throw failure("\"{\" is not closed") }
                words[words.count - 1].append(next)
            default: words[words.count - 1].append(character)
            }
        }
        throw failure("\"{\" is not closed")
    }

    mutating func range() throws(CommandFailure) -> [String] {
        let inside = rest.prefix { $0 != "]" }
        guard inside.endIndex < rest.endIndex else { throw failure("\"[\" is not closed") }
        let parts = inside.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let step = parts.count == 2 ? Self.number(parts[1]) : 1, step > 0,
            let words = Self.letters(ends[0], ends[1], step) ?? Self.numbers(ends[0], ends[1], step)
        else { throw failure("\"[\(inside.prefix(40))]\" is no range such as [1-10], [001-100:2] or [a-z]") }
        rest = rest[inside.endIndex...].dropFirst()
        return words
    }

    private static func number(_ digits: Substring) -> Int? {
        digits.allSatisfy { $0.isASCII && $0.isNumber } ? Int(digits) : nil
    }

    private static func letters(_ first: Substring, _ last: Substring, _ step: Int) -> [String]? {
        guard first.utf8.count == 1, last.utf8.count == 1, let low = first.utf8.first, let high = last.utf8.first,
            low <= high, let start = first.first, start.isASCII, start.isLetter, let end = last.first, end.isLetter,
            start.isLowercase == end.isLowercase
        else { return nil }
        return stride(from: Int(low), through: Int(high), by: step).map { String(UnicodeScalar(UInt8(clamping: $0))) }
    }

    /// A zero before the first number is the sign that all have its width.
    private static func numbers(_ first: Substring, _ last: Substring, _ step: Int) -> [String]? {
        guard let low = number(first), let high = number(last), low <= high, step <= max(1, high - low),
            (high - low) / step < URLPattern.maximumCount
        else { return nil }
        let width = first.first == "0" ? first.count : 0
        return stride(from: low, through: high, by: step).map { number in
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
    }
}
