// SPDX-License-Identifier: Apache-2.0
import ArgumentParser

/// Reads what `-F` is given, by curl's rules. What curl would leave out with a warning, or nest, is refused.
struct FormWords {
    private var rest: Substring

    static func option(_ argument: String) throws -> FormOption {
        let (name, content) = try split(argument, "-F")
        if content.first == "(" {
            throw ValidationError(
                "-F \(argument): there are no forms within forms: give --form-string for a parenthesis")
        }
        let mark = content.first.flatMap { "@<".contains($0) ? $0 : nil }
        var words = FormWords(rest: mark == nil ? content : content.dropFirst())
        let word = words.word(endingAt: mark == "@" ? ";," : ";")
        if words.rest.first == "," {
            throw ValidationError(
                "-F \(argument): one file for each -F; a comma in a name wants quotes: -F 'name=@\"a,b\"'")
        }
        let parsed: FormOption.Content =
            switch mark {
            case "@": .file(word)
            case "<": .textOfFile(word)
            default: .text(word)
            }
        var option = FormOption(name: String(name), content: parsed)
        try words.readAttributes(of: &option, argument)
        return option
    }

    static func split(_ argument: String, _ option: String) throws -> (Substring, Substring) {
        guard let equals = argument.firstIndex(of: "="), equals != argument.startIndex else {
            throw ValidationError("\(option) \(argument): give name=content")
        }
        return (argument[..<equals], argument[argument.index(after: equals)...])
    }

    private mutating func readAttributes(of option: inout FormOption, _ argument: String) throws {
        while rest.first == ";" {
            let blanks = rest.dropFirst().prefix(while: \.isWhitespace)
            rest = rest.dropFirst(1 + blanks.count)
            if take("type=") {
                option.type = word(endingAt: ";")
            } else if take("filename=") {
                if case .file = option.content {
                } else {
                    throw ValidationError("-F \(argument): \";filename=\" belongs to a file, \"name=@file\"")
                }
                option.fileName = word(endingAt: ";")
            } else if let type = option.type, !rest.hasPrefix("headers="), !rest.hasPrefix("encoder=") {
                // A parameter of the type, such as ";charset=utf-8".
                option.type = "\(type);\(blanks)\(word(endingAt: ";"))"
            } else {
                throw ValidationError(
                    "-F \(argument): \";\(rest.prefix { $0 != ";" })\" is neither \";type=\" nor \";filename=\": "
                        + "give --form-string for a text with semicolons")
            }
        }
    }

    private mutating func take(_ prefix: String) -> Bool {
        guard rest.lowercased().hasPrefix(prefix) else { return false }
        rest = rest.dropFirst(prefix.count)
        return true
    }

    /// Up to one of `ends`; within quotes these are no end, and a backslash stands before a quote or another backslash.
    private mutating func word(endingAt ends: String) -> String {
        rest = rest.drop(while: \.isWhitespace)
        if let quoted = takeQuoted(ends) { return quoted }
        let word = rest.prefix { !ends.contains($0) }
        rest = rest.dropFirst(word.count)
        return String(word.trimmingSuffix(while: \.isWhitespace))
    }

    /// Nil if the quotes are not closed: then they are characters as any other.
    private mutating func takeQuoted(_ ends: String) -> String? {
        guard rest.first == "\"" else { return nil }
        var (text, isEscaped) = ("", false)
        for index in rest.indices.dropFirst() {
            let character = rest[index]
            if isEscaped {
                if character != "\"", character != "\\" { text.append("\\") }
                text.append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                rest = rest[index...].dropFirst().drop { !ends.contains($0) }
                return text
            } else {
                text.append(character)
            }
        }
        return nil
    }
}

extension Substring {
    fileprivate func trimmingSuffix(while isUnwanted: (Character) -> Bool) -> Substring {
        guard let last = lastIndex(where: { !isUnwanted($0) }) else { return "" }
        return self[...last]
    }
}
