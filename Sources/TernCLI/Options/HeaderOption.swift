// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Tern
import TernEngine
import TernFiles

/// A field of `-H`, in curl's syntax.
enum HeaderOption {
    /// `Name: value`, or `Name;` for an empty one.
    case add(HeaderField)
    /// `Name:` removes a field that would be sent otherwise.
    case remove(name: String)

    init(_ text: String) throws {
        if let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) {
            let name = String(text[..<colon])
            let value = text[text.utf8.index(after: colon)...]
                .trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
            self = value.isEmpty ? .remove(name: name) : .add(name: name, value: value)
        } else if text.hasSuffix(";") {
            self = .add(name: String(text.dropLast()), value: "")
        } else {
            throw ValidationError(
                "-H \"\(text)\": a header field needs a colon, or a semicolon at the end if it is to be empty")
        }
    }

    /// A field with the bytes of an argument.
    static func add(name: String, value: String) -> HeaderOption {
        .add(HeaderField(name: name, bytes: ByteText.bytes(of: value)))
    }

    /// The fields in a file, one on each line.
    static func lines(in file: Data) -> [String] {
        file.split(separator: UInt8(ascii: "\n")).map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
            .filter { !$0.isEmpty }.map { ByteText.text(of: $0) }
    }

    var name: String {
        switch self {
        case .add(let field): field.name
        case .remove(let name): name
        }
    }

    /// `Transfer-Encoding: chunked`
    var asksForChunks: Bool {
        guard case .add(let field) = self else { return false }
        return field.name.lowercased() == "transfer-encoding" && field.value.lowercased() == "chunked"
    }

    func apply(to request: inout Tern.URLRequest, _ defaults: inout HeaderFields) throws {
        switch self {
        case .add(let field): request.headers.append(field)
        case .remove(let name):
            if name.lowercased() == "host" { throw ValidationError("-H \"Host:\": every request of HTTP/1.1 has it") }
            defaults[name] = nil
        }
    }
}
