// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Glibc

/// The format of `-w`.
struct WriteOut {
    enum Piece: Equatable {
        case text(String)
        case variable(WriteOutVariable)
        /// `%header{name}`
        case field(String)
        /// `%{json}`
        case json
        /// `%{stdout}`, `%{stderr}`: the output of the rest.
        case destination(Int32)
        /// `%{onerror}`: the rest is for failures.
        case onError
    }

    private(set) var pieces: [Piece] = []

    /// - Parameter argument: the format, or `@file`.
    init(argument: String) throws {
        guard argument.hasPrefix("@") else {
            try self.init(argument)
            return
        }
        try self.init(String(decoding: try InputFile.read(String(argument.dropFirst()), for: "-w"), as: UTF8.self))
    }

    init(_ format: String) throws {
        var rest = Substring(format)
        while let character = rest.popFirst() {
            switch character {
            case "\\": append(Self.escaped(&rest))
            case "%": try appendPiece(&rest)
            default: append(String(character))
            }
        }
    }

    func write(_ report: TransferReport) throws {
        var (destination, text) = (STDOUT_FILENO, "")
        for piece in pieces {
            switch piece {
            case .text(let words): text += words
            case .variable(let variable): text += report.value(of: variable).shown
            case .field(let name): text += TerminalText.cleaned(report.field(named: name))
            case .json: text += TerminalText.cleaned(try JSONReport.text(report.all))
            case .destination(let next):
                try Self.write(text, to: destination)
                (destination, text) = (next, "")
            case .onError: if !report.hasFailed { return try Self.write(text, to: destination) }
            }
        }
        try Self.write(text, to: destination)
    }

    private static func write(_ text: String, to destination: Int32) throws {
        if destination == STDOUT_FILENO { return try StandardStreams.write(Data(text.utf8)) }
        // If that fails, there is no output left to report it.
        try? StandardStreams.write(Data(text.utf8), to: destination)
    }

    private mutating func append(_ text: String) {
        if case .text(let before)? = pieces.last {
            pieces[pieces.count - 1] = .text(before + text)
        } else {
            pieces.append(.text(text))
        }
    }

    private static func escaped(_ rest: inout Substring) -> String {
        switch rest.popFirst() {
        case "n": "\n"
        case "r": "\r"
        case "t": "\t"
        case let other?: "\\\(other)"
        case nil: "\\"
        }
    }

    /// The character after a percent sign; one without a meaning is written unchanged.
    private mutating func appendPiece(_ rest: inout Substring) throws {
        if rest.first == "%" {
            rest = rest.dropFirst()
            append("%")
        } else if let name = try Self.name(in: &rest, behind: "{") {
            pieces.append(try Self.piece(named: name))
        } else if let name = try Self.name(in: &rest, behind: "header{") {
            pieces.append(.field(name))
        } else {
            append("%")
        }
    }

    private static func name(in rest: inout Substring, behind opening: String) throws -> String? {
        guard rest.hasPrefix(opening) else { return nil }
        let name = rest.dropFirst(opening.count).prefix { $0 != "}" }
        guard name.endIndex < rest.endIndex else { throw ValidationError("-w: \"%\(rest.prefix(40))\" has no end") }
        rest = rest[name.endIndex...].dropFirst()
        return String(name)
    }

    private static func piece(named name: String) throws -> Piece {
        switch name {
        case "json": return .json
        case "stdout": return .destination(STDOUT_FILENO)
        case "stderr": return .destination(STDERR_FILENO)
        case "onerror": return .onError
        default:
            guard let variable = WriteOutVariable(rawValue: name) else {
                throw ValidationError("-w: there is no variable \"%{\(name)}\"")
            }
            return .variable(variable)
        }
    }
}
