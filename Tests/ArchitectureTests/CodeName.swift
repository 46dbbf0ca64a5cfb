// SPDX-License-Identifier: Apache-2.0
import Foundation

/// A name of the code, as a guide writes it.
enum CodeName: Equatable {
    /// `Pool/Shard.swift`, from the engine's folder or from `Sources`; `Shard.swift`, wherever it is.
    case file(String)
    /// `Pool/`, `TernTLS/Rules`.
    case folder(String)
    /// `Shard`, or a module; within a type or a module, `RouteSettings.Parts`.
    case type(String, within: String?)
    /// `find(_:for:)`, `Shard.find(_:for:)`, or `session.find(_:for:)` of a value; without parentheses, any member.
    case member(String, labels: [String]?, of: String?)

    init?(_ text: String) {
        let name = text.prefix { $0 != "(" }
        if text.hasSuffix(".swift"), text.allSatisfy(Self.isOfPath) {
            self = .file(text)
        } else if text.contains("/"), text.allSatisfy(Self.isOfPath) {
            self = .folder(text.hasSuffix("/") ? String(text.dropLast()) : text)
        } else {
            let parts = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard let last = parts.last, parts.count <= 2, parts.allSatisfy(Self.isIdentifier) else { return nil }
            let outer = parts.count == 2 ? parts.first : nil
            let isType = last.first?.isUppercase == true
            guard name.endIndex < text.endIndex else {
                self = isType ? .type(last, within: outer) : .member(last, labels: nil, of: outer)
                return
            }
            guard !isType, text.hasSuffix(")") else { return nil }
            let labels = text[name.endIndex...].dropFirst().dropLast()
            guard labels.isEmpty || labels.hasSuffix(":") else { return nil }
            self = .member(last, labels: labels.split(separator: ":").map(String.init), of: outer)
        }
    }

    private static func isOfPath(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || "._+-/".contains(character)
    }

    private static func isIdentifier(_ text: String) -> Bool {
        !text.isEmpty && text.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    }
}

extension SourceTree {
    /// What is missing of a name; nil if it is there.
    ///
    /// - Parameter files: where a function with labels is declared; none for wherever it is.
    func lacks(_ name: CodeName, in files: [SourceFile]) -> String? {
        switch name {
        case .file(let path): return self.files(at: path).isEmpty ? "no such file" : nil
        case .folder(let path):
            let isThere = self.files.contains {
                $0.path.hasPrefix("TernEngine/\(path)/") || $0.path.hasPrefix("\(path)/")
            }
            return isThere ? nil : "no such folder"
        case .type(let type, within: nil):
            return self.files.contains { $0.module == type || $0.types.contains(type) } ? nil : "no such type"
        case .type(let type, within: let outer?):
            let isThere = self.files.contains {
                $0.types.contains(type) && ($0.module == outer || $0.types.contains(outer))
            }
            return isThere ? nil : "no such type of \(outer)"
        case .member(let member, let labels, let owner):
            var files = files.isEmpty || labels == nil ? self.files : files
            if let owner, owner.first?.isUppercase == true { files = files.filter { $0.types.contains(owner) } }
            let isThere = files.contains { file in
                guard let labels else { return file.members.contains(member) }
                return file.members.contains(member) && file.labels(of: member).contains(labels)
            }
            return isThere ? nil : "not declared in \(files.count < 10 ? "\(files.map(\.path))" : "the sources")"
        }
    }

    /// Paths begin at the engine's folder or at `Sources`; a name alone may be in any folder.
    func files(at path: String) -> [SourceFile] {
        files.filter {
            $0.path == "TernEngine/\(path)" || $0.path == path || !path.contains("/") && $0.path.hasSuffix("/\(path)")
        }
    }
}

extension SourceFile {
    /// The labels of each function of this name.
    fileprivate func labels(of function: String) -> [[String]] {
        text.components(separatedBy: "func \(function)").dropFirst().compactMap { Self.labels($0[...]) }
    }

    /// The labels in what follows a function's name; nil if that name is longer.
    private static func labels(_ text: Substring) -> [String]? {
        guard text.first == "(" || text.first == "<", let start = text.firstIndex(of: "(") else { return nil }
        var (parameters, depth, last) = ([""], 0, Character(" "))
        scan: for character in text[start...] {
            switch character {
            case "(", "[", "{", "<": depth += 1
            case ")", "]", "}": depth -= 1
            case ">" where last != "-": depth -= 1
            case "," where depth == 1: parameters.append("")
            default: if depth == 1 { parameters[parameters.count - 1].append(character) }
            }
            if depth == 0 { break scan }
            last = character
        }
        let words = parameters.map { $0.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.first }
        return words.compactMap { $0.map(String.init) }
    }
}
