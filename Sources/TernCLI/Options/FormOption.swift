// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine
import TernFiles

/// The part of the form from one `-F` or `--form-string`.
struct FormOption: Sendable, Equatable {
    enum Content: Sendable, Equatable {
        case text(String)
        /// A file; `-` is standard input.
        case file(String)
        /// The contents of a file, as text; `-` is standard input.
        case textOfFile(String)
    }

    let name: String
    let content: Content
    var type: String?
    var fileName: String?
    let order = ArgumentOrder.next()

    /// `name=content`, `name=@file` or `name=<file`, optionally followed by `;type=` and `;filename=`. Files that commas
    /// separate are parts of one name each (RFC 7578 §4.3).
    static func form(_ argument: String) throws -> [FormOption] { try FormOptionParser.options(argument) }

    /// `name=content`, unchanged.
    static func string(_ argument: String) throws -> FormOption {
        let (name, content) = try FormOptionParser.split(argument, "--form-string")
        return FormOption(name: String(name), content: .text(String(content)))
    }

    static func == (one: FormOption, other: FormOption) -> Bool {
        one.name == other.name && one.content == other.content && one.type == other.type
            && one.fileName == other.fileName
    }

    /// The file it reads.
    var file: String? {
        switch content {
        case .text: nil
        case .file(let path), .textOfFile(let path): path
        }
    }

    /// The options as one form, in the order they were given.
    static func form(_ options: [FormOption]) throws -> MultipartForm {
        var form = MultipartForm()
        for option in options.sorted(by: { $0.order < $1.order }) { try option.append(to: &form) }
        return form
    }

    private func append(to form: inout MultipartForm) throws {
        do {
            switch content {
            case .text(let text): try append(.data(Data(ByteText.bytes(of: text))), to: &form)
            case .file(let path):
                let fileName = fileName ?? path.split(separator: "/").last.map(String.init) ?? path
                // As in curl, what standard input has is of no type.
                let own = path == "-" ? nil : Self.type(fileName, path)
                try append(Self.content(path), to: &form, fileName, type ?? own)
            case .textOfFile(let path): try append(Self.content(path), to: &form)
            }
        } catch let error as MultipartFormError {
            throw UsageError("-F: \(error)")
        }
    }

    private func append(
        _ content: MultipartForm.Content, to form: inout MultipartForm, _ fileName: String? = nil, _ own: String? = nil
    ) throws(MultipartFormError) {
        try form.append(
            content, name: ByteText.bytes(of: name), fileName: fileName.map { ByteText.bytes(of: $0) },
            type: (own ?? type).map { ByteText.bytes(of: $0) })
    }

    /// By the given name, or else by the file's own.
    private static func type(_ names: String...) -> String {
        let types = names.map(MediaTypes.type(ofFile:))
        return types.first { $0 != MediaTypes.type(ofFile: "") } ?? MediaTypes.type(ofFile: "")
    }

    /// A file, or what standard input and pipes have: servers without chunks need its length. What is long is sent in chunks.
    private static func content(_ path: String) throws -> MultipartForm.Content {
        let upload = try Upload(path: path, option: "-F")
        if upload.length != nil { return .file(path: path) }
        let file = InputDescriptor()
        let beginning: Data
        do throws(InputError) { beginning = try file.beginning(of: path, InputFile.maximumLength) } catch {
            throw CommandFailure(.unreadable, "-F: \(error)")
        }
        if beginning.count <= InputFile.maximumLength { return .data(beginning) }
        guard case .once(let source, _) = upload.content(beginning, before: file) else { return .file(path: path) }
        return .source(source)
    }
}

/// Parses the argument of `-F` by curl's rules. Parts that curl would omit with a warning, or nest, are refused.
///
/// Works on scalars: a combining mark after a delimiter does not make another delimiter of it.
struct FormOptionParser {
    private var rest: Substring.UnicodeScalarView
    /// The characters that end a word.
    private let ends: String

    static func options(_ argument: String) throws -> [FormOption] {
        let (name, content) = try split(argument, "-F")
        let scalars = content.unicodeScalars
        if scalars.first == "(" {
            throw UsageError(
                "-F \(argument): nested forms are not supported: give --form-string for a parenthesis")
        }
        let mark = scalars.first.flatMap { $0 == "@" || $0 == "<" ? $0 : nil }
        var words = FormOptionParser(rest: mark == nil ? scalars : scalars.dropFirst(), ends: mark == "@" ? ";," : ";")
        var options: [FormOption] = []
        repeat {
            // The comma before another file.
            if !options.isEmpty { words.rest.removeFirst() }
            let word = words.word()
            let parsed: FormOption.Content =
                switch mark {
                case "@": .file(word)
                case "<": .textOfFile(word)
                default: .text(word)
                }
            var option = FormOption(name: String(name), content: parsed)
            try words.readAttributes(of: &option, argument)
            options.append(option)
        } while words.rest.first == ","
        return options
    }

    static func split(_ argument: String, _ option: String) throws -> (Substring, Substring) {
        guard let equals = argument.utf8.firstIndex(of: UInt8(ascii: "=")), equals != argument.startIndex else {
            throw UsageError("\(option) \(argument): give name=content")
        }
        return (argument[..<equals], argument[argument.utf8.index(after: equals)...])
    }

    private mutating func readAttributes(of option: inout FormOption, _ argument: String) throws {
        while rest.first == ";" {
            let blanks = rest.dropFirst().prefix(while: \.properties.isWhitespace)
            rest = rest.dropFirst(1 + blanks.count)
            if take("type=") {
                option.type = word()
            } else if take("filename=") {
                if case .file = option.content {
                } else {
                    throw UsageError("-F \(argument): \";filename=\" belongs to a file, \"name=@file\"")
                }
                option.fileName = word()
            } else if let type = option.type, !begins("headers="), !begins("encoder=") {
                // A parameter of the type, such as ";charset=utf-8".
                option.type = "\(type);\(String(blanks))\(word())"
            } else {
                throw UsageError(
                    "-F \(argument): \";\(String(rest.prefix { $0 != ";" }))\" is neither \";type=\" nor \";filename=\": "
                        + "give --form-string for a text with semicolons")
            }
        }
    }

    private mutating func take(_ prefix: String) -> Bool {
        guard begins(prefix) else { return false }
        rest = rest.dropFirst(prefix.unicodeScalars.count)
        return true
    }

    private func begins(_ prefix: String) -> Bool {
        String(rest.prefix(prefix.unicodeScalars.count)).lowercased() == prefix
    }

    private func isEnd(_ scalar: Unicode.Scalar) -> Bool { ends.unicodeScalars.contains(scalar) }

    /// Up to a delimiter; quotes protect delimiters, and a backslash escapes a quote or another backslash.
    private mutating func word() -> String {
        rest = rest.drop(while: \.properties.isWhitespace)
        if let quoted = takeQuoted() { return quoted }
        let word = rest.prefix { !isEnd($0) }
        rest = rest.dropFirst(word.count)
        return String(word.trimmingSuffix(while: \.properties.isWhitespace))
    }

    /// Nil if the quotes are not closed: then they have no special meaning.
    private mutating func takeQuoted() -> String? {
        guard rest.first == "\"" else { return nil }
        var (text, isEscaped) = (String.UnicodeScalarView(), false)
        for index in rest.indices.dropFirst() {
            let scalar = rest[index]
            if isEscaped {
                if scalar != "\"", scalar != "\\" { text.append("\\") }
                text.append(scalar)
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if scalar == "\"" {
                rest = rest[index...].dropFirst().drop { !isEnd($0) }
                return String(text)
            } else {
                text.append(scalar)
            }
        }
        return nil
    }
}

extension Substring.UnicodeScalarView {
    fileprivate func trimmingSuffix(while isUnwanted: (Unicode.Scalar) -> Bool) -> Substring {
        guard let last = lastIndex(where: { !isUnwanted($0) }) else { return "" }
        return Substring(self[...last])
    }
}
