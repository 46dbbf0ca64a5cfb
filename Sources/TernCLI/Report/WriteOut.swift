// SPDX-License-Identifier: Apache-2.0
// Safety: the path is passed to one system call, which copies it.
import FoundationEssentials
import TernLibC
import TernFiles
import TernSystem

/// The format of `-w`.
struct WriteOut {
    enum Piece: Equatable {
        case text(String)
        case variable(WriteOutVariable)
        /// `%{url.host}`, `%{urle.host}`
        case urlPart(WriteOutURLPart, isEffective: Bool)
        /// `%header{name}`
        case field(String)
        /// `%{header_json}`
        case fields
        /// `%{json}`
        case json
        /// `%{stdout}`, `%{stderr}`: the output of the rest.
        case destination(Int32)
        /// `%output{file}`, `%output{>>file}`: the same.
        case file(String, isAppended: Bool)
        /// `%{onerror}`: the rest is for failures.
        case onError
        /// A variable that does not exist: nothing is written, and standard error says so.
        case unknown(String)
    }

    private(set) var pieces: [Piece] = []

    /// - Parameter argument: the format, or `@file`, whose line ends and NULs do not count.
    init(argument: String) throws {
        guard argument.hasPrefix("@") else {
            self.init(argument)
            return
        }
        let file = try InputFile.read(String(argument.dropFirst()), for: "-w")
        self.init(ByteText.text(of: file.withoutByteOrderMark.filter { $0 != 0x00 && $0 != 0x0A && $0 != 0x0D }))
    }

    init(_ format: String) {
        var rest = Substring(format)
        while let character = rest.popFirst() {
            switch character {
            case "\\": append(Self.escaped(&rest))
            case "%": appendPiece(&rest)
            default: append(String(character))
            }
        }
    }

    func write(_ report: TransferReport) throws {
        var output = Output()
        for piece in pieces {
            switch piece {
            case .text(let words): output.bytes += ByteText.bytes(of: words)
            case .variable(let variable): output.add(report.value(of: variable).bytes)
            case .urlPart(let part, let isEffective):
                output.add(report.value(of: part, isEffective: isEffective).bytes)
            case .field(let name): output.add(report.field(named: name))
            case .fields: output.bytes += TerminalText.cleaned(try report.fieldsAsJSON()).utf8
            case .json: output.bytes += TerminalText.cleaned(try JSONReport.text(report.all)).utf8
            case .destination(let next): try output.move(to: next)
            case .file(let path, let isAppended): try output.move(to: path, isAppended: isAppended)
            case .onError: if !report.hasFailed { return try output.finish() }
            case .unknown(let name): StandardStreams.tell("tern: unknown --write-out variable: '\(name)'")
            }
        }
        try output.finish()
    }

    private struct Output: ~Copyable {
        var bytes: [UInt8] = []
        private var descriptor = STDOUT_FILENO
        /// Whether the descriptor is that of `%output`, which is closed behind it.
        private var isFile = false

        deinit {
            if isFile { close(descriptor) }
        }

        /// Adds what a server may have chosen: as it is, but for what controls a terminal.
        mutating func add(_ value: [UInt8]) {
            bytes += isatty(descriptor) == 1 ? Array(TerminalText.cleaned(ByteText.text(of: value)).utf8) : value
        }

        mutating func move(to next: Int32) throws {
            try finish()
            descriptor = next
        }

        /// A file that cannot be opened is told, and as in curl what was to be written to it goes where the rest went.
        mutating func move(to path: String, isAppended: Bool) throws {
            let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | (isAppended ? O_APPEND : O_TRUNC)
            let file = unsafe ByteText.withPath(path) { unsafe open($0, flags, 0o666) }
            if file < 0 { return StandardStreams.tell("tern: -w: \(OutputError.last(path))") }
            try move(to: file)
            isFile = true
        }

        /// Writes what is left, and closes a file.
        mutating func finish() throws {
            defer {
                if isFile { close(descriptor) }
                (bytes, isFile) = ([], false)
            }
            try flush()
        }

        private func flush() throws {
            if descriptor == STDOUT_FILENO { return try StandardStreams.write(Data(bytes)) }
            // If that fails, there is no output left to report it.
            try? StandardStreams.write(Data(bytes), to: descriptor)
        }
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
    private mutating func appendPiece(_ rest: inout Substring) {
        if rest.first == "%" {
            rest = rest.dropFirst()
            append("%")
        } else if let name = Self.name(in: &rest, behind: "{") {
            pieces.append(Self.piece(named: name))
        } else if let name = Self.name(in: &rest, behind: "header{") {
            pieces.append(.field(name))
        } else if let name = Self.name(in: &rest, behind: "output{") {
            let isAppended = name.hasPrefix(">>")
            pieces.append(.file(isAppended ? String(name.dropFirst(2)) : name, isAppended: isAppended))
        } else {
            append("%")
        }
    }

    /// Nil if it has no end.
    private static func name(in rest: inout Substring, behind opening: String) -> String? {
        guard rest.hasPrefix(opening) else { return nil }
        let name = rest.dropFirst(opening.count).prefix { $0 != "}" }
        guard name.endIndex < rest.endIndex else { return nil }
        rest = rest[name.endIndex...].dropFirst()
        return String(name)
    }

    private static func piece(named name: String) -> Piece {
        switch name {
        case "json": return .json
        case "header_json": return .fields
        case "stdout": return .destination(STDOUT_FILENO)
        case "stderr": return .destination(STDERR_FILENO)
        case "onerror": return .onError
        default: break
        }
        if let variable = WriteOutVariable(rawValue: name) { return .variable(variable) }
        for (prefix, isEffective) in [("url.", false), ("urle.", true)] where name.hasPrefix(prefix) {
            if let part = WriteOutURLPart(rawValue: String(name.dropFirst(prefix.count))) {
                return .urlPart(part, isEffective: isEffective)
            }
        }
        return .unknown(name)
    }
}
