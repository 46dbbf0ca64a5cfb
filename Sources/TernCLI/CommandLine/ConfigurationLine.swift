// SPDX-License-Identifier: Apache-2.0
import TernFiles
import TernSystem

/// One option in a file of options, in curl's grammar: `name value`, `name = value` or `name: value`, with or without
/// dashes before the name. A value in double quotes may hold blanks, and `\"`, `\\`, `\t`, `\n`, `\r` and `\v`. A line
/// that begins with `#` is a comment.
struct ConfigurationLine: Sendable, Equatable {
    /// The file and the number of the line, for errors.
    let place: String
    /// As written, with its dashes if it has any.
    let name: String
    let value: String?

    /// The options in the bytes of a file, in order.
    ///
    /// - Throws: ``UsageError`` for a value with blanks but without quotes, which curl cuts off.
    static func all(in bytes: some Collection<UInt8>, of file: String) throws(UsageError) -> [ConfigurationLine] {
        var lines: [ConfigurationLine] = []
        let file = file == "-" ? "standard input" : file
        let text = Array(bytes).withoutByteOrderMark
        for (index, line) in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            if let line = try ConfigurationLine(line, "\(file), line \(index + 1)") { lines.append(line) }
        }
        return lines
    }

    /// Nil for a line without an option.
    private init?(_ line: ArraySlice<UInt8>, _ place: String) throws(UsageError) {
        var rest = line.drop(while: Self.isBlank)
        guard let first = rest.first, first != UInt8(ascii: "#") else { return nil }
        let isSeparator = { (byte: UInt8) in
            first != UInt8(ascii: "-") && (byte == UInt8(ascii: "=") || byte == UInt8(ascii: ":"))
        }
        let name = rest.prefix { !Self.isBlank($0) && !isSeparator($0) }
        rest = rest[name.endIndex...].drop { Self.isBlank($0) || isSeparator($0) }
        self.place = place
        self.name = ByteText.text(of: name)
        if rest.first == UInt8(ascii: "\"") {
            value = ByteText.text(of: Self.unquoted(rest.dropFirst()))
            return
        }
        let word = rest.prefix { !Self.isBlank($0) }
        value = word.isEmpty ? nil : ByteText.text(of: word)
        let behind = rest[word.endIndex...].drop(while: Self.isBlank)
        if let next = behind.first, next != UInt8(ascii: "#") {
            throw UsageError("\(place): the value of \(self.name) has blanks: write it in double quotes")
        }
    }

    private static func unquoted(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var value: [UInt8] = []
        var rest = text
        let isSpecial = { (byte: UInt8) in byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") }
        while let end = rest.firstIndex(where: isSpecial) {
            value += rest[..<end]
            let isQuote = rest[end] == UInt8(ascii: "\"")
            rest = rest[(end + 1)...]
            if isQuote { return value }
            guard let escaped = rest.popFirst() else { return value + [UInt8(ascii: "\\")] }
            switch escaped {
            case UInt8(ascii: "t"): value.append(0x09)
            case UInt8(ascii: "n"): value.append(0x0A)
            case UInt8(ascii: "r"): value.append(0x0D)
            case UInt8(ascii: "v"): value.append(0x0B)
            default: value.append(escaped)
            }
        }
        return value + rest
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
