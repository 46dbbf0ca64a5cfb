// SPDX-License-Identifier: Apache-2.0
import TernFiles

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
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            let place = "\(file == "-" ? "standard input" : file), line \(index + 1)"
            if let line = try ConfigurationLine(ByteText.text(of: Array(line)), place) { lines.append(line) }
        }
        return lines
    }

    /// Nil for a line without an option.
    private init?(_ line: String, _ place: String) throws(UsageError) {
        var rest = line.unicodeScalars.drop(while: Self.isBlank)
        guard let first = rest.first, first != "#" else { return nil }
        let isSeparator = { (scalar: Unicode.Scalar) in first != "-" && (scalar == "=" || scalar == ":") }
        let name = rest.prefix { !Self.isBlank($0) && !isSeparator($0) }
        rest = rest[name.endIndex...].drop { Self.isBlank($0) || isSeparator($0) }
        self.place = place
        self.name = String(name)
        if rest.first == "\"" {
            value = Self.unquoted(rest.dropFirst())
            return
        }
        let word = rest.prefix { !Self.isBlank($0) }
        value = word.isEmpty ? nil : String(word)
        let behind = rest[word.endIndex...].drop(while: Self.isBlank)
        if let next = behind.first, next != "#" {
            throw UsageError("\(place): the value of \(self.name) has blanks: write it in double quotes")
        }
    }

    private static func unquoted(_ text: Substring.UnicodeScalarView) -> String {
        var value = String.UnicodeScalarView()
        var rest = text
        while let scalar = rest.popFirst(), scalar != "\"" {
            guard scalar == "\\", let escaped = rest.popFirst() else {
                value.append(scalar)
                continue
            }
            switch escaped {
            case "t": value.append("\t")
            case "n": value.append("\n")
            case "r": value.append("\r")
            case "v": value.append("\u{B}")
            default: value.append(escaped)
            }
        }
        return String(value)
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        scalar == " " || "\t"..."\r" ~= scalar
    }
}
