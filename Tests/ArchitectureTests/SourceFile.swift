// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A Swift file below `Sources`, read as text: without comments and string literals, word by word.
struct SourceFile {
    /// Such as `TernEngine/Pool/Shard.swift`.
    let path: String
    let text: String
    let lineCount: Int
    /// The modules it imports, a single declaration of one included.
    let imports: Set<String>
    /// The types it declares at its outermost level.
    let declares: Set<String>
    /// The types it declares at any level.
    let types: Set<String>
    /// The functions, variables, constants and cases it declares, local ones included.
    let members: Set<String>
    /// The names in it that may be types of other files: those that begin with a capital letter and are not its own.
    let names: Set<String>
    /// The stored variables of its classes and noncopyable types that other files can change, as `Type.name`.
    let openState: Set<String>

    var module: String { String(path.prefix { $0 != "/" }) }

    /// The folder of the module it lies in, however deep; nil beside all folders.
    var folder: String? {
        let parts = path.split(separator: "/")
        return parts.count > 2 ? String(parts[1]) : nil
    }

    init(path: String, text: String) {
        self.path = path
        self.text = text
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        lineCount = lines.count - 1
        var (imports, declares, locals, names) = (Set<String>(), Set<String>(), Set<String>(), Set<String>())
        var (openState, machine) = (Set<String>(), String?.none)
        var (types, members) = (Set<String>(), Set<String>())
        for line in lines {
            let words = Self.words(Self.code(line))
            if let name = Self.openVariable(line, words), let machine { openState.insert("\(machine).\(name)") }
            if let word = words.firstIndex(of: "import"), words[..<word].allSatisfy(Self.isModifier) {
                let rest = words[(word + 1)...]
                if let module = rest.first(where: { !Self.kinds.contains($0) }) { imports.insert(module) }
                continue
            }
            members.formUnion(Self.members(words, line))
            names.formUnion(words.filter { $0.first?.isUppercase == true })
            guard let kind = words.firstIndex(where: Self.typeKinds.contains), kind + 1 < words.count,
                words[..<kind].allSatisfy(Self.isModifier)
            else { continue }
            if line.first != " " {
                declares.insert(words[kind + 1])
                machine = words[kind] == "class" || line.contains("~Copyable") ? words[kind + 1] : nil
            }
            locals.formUnion(Self.parameters(of: Self.code(line)))
            locals.insert(words[kind + 1])
            types.insert(words[kind + 1])
        }
        self.imports = imports
        self.declares = declares
        self.types = types
        self.members = members
        self.names = names.subtracting(locals)
        self.openState = openState
    }

    /// The name of a stored variable of an outermost type that other files can change.
    private static func openVariable(_ line: Substring, _ words: [String]) -> String? {
        guard line.hasPrefix("    "), !line.hasPrefix("     "), !line.contains("{"),
            let index = words.firstIndex(of: "var"), index + 1 < words.count
        else { return nil }
        let closed: Set = ["private", "fileprivate", "static", "class", "override", "func"]
        return words[..<index].contains(where: closed.contains) ? nil : words[index + 1]
    }

    /// The names that a line declares, those of types excepted.
    private static func members(_ words: [String], _ line: Substring) -> [String] {
        let following = zip(words, words.dropFirst()).filter { ["func", "var", "let"].contains($0.0) }.map(\.1)
        let rest = line.drop { $0 == " " }
        guard rest.hasPrefix("case "), !rest.hasPrefix("case ."), !rest.hasPrefix("case let ") else { return following }
        var depth = 0
        let cases = rest.dropFirst(5).split { character in
            if "([".contains(character) { depth += 1 }
            if ")]".contains(character) { depth -= 1 }
            return depth == 0 && character == ","
        }
        return following + cases.compactMap { Self.words(Array($0.utf8)).first }
    }

    private static let typeKinds: Set = ["class", "struct", "enum", "protocol", "actor", "typealias"]
    private static let kinds = typeKinds.union(["func", "let", "var"])

    private static func isModifier(_ word: String) -> Bool {
        [
            "public", "open", "package", "internal", "fileprivate", "private", "final", "indirect", "nonisolated",
            "safe", "unsafe", "testable", "unchecked", "preconcurrency", "_exported", "frozen", "main",
        ].contains(word)
    }

    /// A line without its comment and its quoted strings.
    private static func code(_ line: Substring) -> [UInt8] {
        var code: [UInt8] = []
        var (isQuoted, isEscaped, wasSlash) = (false, false, false)
        for byte in line.utf8 {
            if isQuoted {
                if byte == UInt8(ascii: "\""), !isEscaped { isQuoted = false }
                isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
                continue
            }
            if byte == UInt8(ascii: "/"), wasSlash { return code }
            wasSlash = byte == UInt8(ascii: "/")
            isQuoted = byte == UInt8(ascii: "\"")
            code.append(byte)
        }
        return code
    }

    private static func words(_ code: [UInt8]) -> [String] {
        code.split { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                false
            default: true
            }
        }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Of a generic type.
    private static func parameters(of code: [UInt8]) -> [String] {
        guard let start = code.firstIndex(of: UInt8(ascii: "<")) else { return [] }
        return words(Array(code[start...].prefix { $0 != UInt8(ascii: ">") }))
    }
}
