// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Synchronization
import TernEngine
import TernFiles

/// The part of the body from one `-d` or a similar option.
struct DataPart: Sendable {
    enum Form {
        /// `@file` is that file without its line ends and NULs.
        case text
        /// `@file` is that file unchanged.
        case binary
        /// The same, joined to what is before it without a separator.
        case json
        /// Unchanged.
        case raw
        /// Percent-encoded: `content`, `=content`, `name=content`, `@file`, `name@file`.
        case encoded
    }

    private static let at = UInt8(ascii: "@")

    let form: Form
    let argument: String
    let order = ArgumentOrder.next()

    static func text(_ argument: String) -> DataPart { DataPart(form: .text, argument: argument) }
    static func binary(_ argument: String) -> DataPart { DataPart(form: .binary, argument: argument) }
    static func json(_ argument: String) -> DataPart { DataPart(form: .json, argument: argument) }
    static func raw(_ argument: String) -> DataPart { DataPart(form: .raw, argument: argument) }
    static func encoded(_ argument: String) -> DataPart { DataPart(form: .encoded, argument: argument) }

    /// The file it names, if any.
    var file: String? {
        switch form {
        case .raw: nil
        case .text, .binary, .json: argument.utf8.first == Self.at ? String(argument.unicodeScalars.dropFirst()) : nil
        case .encoded: Self.named(argument).file
        }
    }

    func bytes() throws -> Data {
        switch form {
        case .raw: return Self.data(argument)
        case .binary:
            return try file.map { try InputFile.read($0, for: "--data-binary", limit: InputFile.maximumContentLength) }
                ?? Self.data(argument)
        case .json:
            return try file.map { try InputFile.read($0, for: "--json", limit: InputFile.maximumContentLength) }
                ?? Self.data(argument)
        case .text:
            guard let file else { return Self.data(argument) }
            return Data(
                try InputFile.read(file, for: "-d", limit: InputFile.maximumContentLength).lazy.filter {
                    $0 != 0x00 && $0 != 0x0A && $0 != 0x0D
                })
        case .encoded:
            let (name, content, file) = Self.named(argument)
            let bytes =
                try file.map { try InputFile.read($0, for: "--data-urlencode", limit: InputFile.maximumContentLength) }
                ?? Self.data(content)
            return Self.data(name.isEmpty ? "" : name + "=") + Data(PercentEncoding.form(bytes).utf8)
        }
    }

    private static func data(_ text: String) -> Data { Data(ByteText.bytes(of: text)) }

    /// The parts as one body.
    static func joined(_ parts: [DataPart]) throws -> Data {
        var body = Data()
        for (index, part) in parts.sorted(by: { $0.order < $1.order }).enumerated() {
            if index > 0, part.form != .json { body.append(UInt8(ascii: "&")) }
            body.append(try part.bytes())
        }
        return body
    }

    /// An equals sign anywhere takes precedence over an at sign, as in curl.
    private static func named(_ argument: String) -> (name: String, content: String, file: String?) {
        let bytes = argument.utf8
        if let equals = bytes.firstIndex(of: UInt8(ascii: "=")) {
            return (String(argument[..<equals]), String(argument[bytes.index(after: equals)...]), nil)
        }
        guard let at = bytes.firstIndex(of: Self.at) else { return ("", argument, nil) }
        return (String(argument[..<at]), "", String(argument[bytes.index(after: at)...]))
    }
}

/// The order of two values on the command line, also if they belong to options of different names. The parser reads
/// values in order, and takes a position for each.
enum ArgumentOrder {
    private static let count = Atomic<Int>(0)

    static func next() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }
}
