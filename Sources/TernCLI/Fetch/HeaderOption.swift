// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Tern

/// A field of `-H`, in curl's syntax.
enum HeaderOption {
    /// `Name: value`, or `Name;` for an empty one.
    case add(name: String, value: String)
    /// `Name:` removes a field that would be sent otherwise.
    case remove(name: String)

    init(_ text: String) throws {
        if let colon = text.firstIndex(of: ":") {
            let name = String(text[..<colon])
            let value = text[text.index(after: colon)...].trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
            self = value.isEmpty ? .remove(name: name) : .add(name: name, value: value)
        } else if text.hasSuffix(";") {
            self = .add(name: String(text.dropLast()), value: "")
        } else {
            throw ValidationError(
                "-H \"\(text)\": a header field needs a colon, or a semicolon at the end if it is to be empty")
        }
    }

    var name: String {
        switch self {
        case .add(let name, _), .remove(let name): name
        }
    }

    /// `Transfer-Encoding: chunked`
    var asksForChunks: Bool {
        guard case .add(let name, let value) = self else { return false }
        return name.lowercased() == "transfer-encoding" && value.lowercased() == "chunked"
    }

    func apply(to request: inout Tern.URLRequest, _ defaults: inout HeaderFields) throws {
        switch self {
        case .add(let name, let value): request.addValue(value, forHTTPHeaderField: name)
        case .remove(let name):
            if name.lowercased() == "host" { throw ValidationError("-H \"Host:\": every request of HTTP/1.1 has it") }
            defaults[name] = nil
        }
    }
}
