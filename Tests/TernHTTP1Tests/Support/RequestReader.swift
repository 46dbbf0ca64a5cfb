// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// Parses a request by RFC 9112's grammar, without the library's code, to check that the encoded bytes mean what was
/// intended.
struct RequestReader: Equatable {
    var method = ""
    var target = ""
    var version = ""
    var fields: [HeaderField] = []
    var content: [UInt8] = []
    var trailers: [HeaderField] = []

    struct Malformed: Error {
        var what: String
    }

    private var rest: ArraySlice<UInt8> = []

    init(_ bytes: [UInt8]) throws {
        rest = bytes[...]
        let words = try line().split(separator: 32, omittingEmptySubsequences: false).map(text)
        guard words.count == 3 else { throw Malformed(what: "request line") }
        (method, target, version) = (words[0], words[1], words[2])
        fields = try section()
        let framing = fields.filter { ["content-length", "transfer-encoding"].contains($0.name.lowercased()) }
        guard framing.count <= 1 else { throw Malformed(what: "framing") }
        if let only = framing.first {
            if only.name.lowercased() == "content-length" {
                guard let length = Int(only.value), length <= rest.count else { throw Malformed(what: "length") }
                content = Array(rest.prefix(length))
                rest = rest.dropFirst(length)
            } else {
                guard only.value == "chunked" else { throw Malformed(what: "coding") }
                try readChunks()
            }
        }
        guard rest.isEmpty else { throw Malformed(what: "bytes behind the request") }
    }

    private mutating func readChunks() throws {
        while true {
            guard let size = Int(text(try line()), radix: 16) else { throw Malformed(what: "chunk size") }
            if size == 0 { break }
            guard size <= rest.count else { throw Malformed(what: "chunk") }
            content += rest.prefix(size)
            rest = rest.dropFirst(size)
            guard try line().isEmpty else { throw Malformed(what: "chunk end") }
        }
        trailers = try section()
    }

    private mutating func section() throws -> [HeaderField] {
        var fields: [HeaderField] = []
        while true {
            let line = try line()
            if line.isEmpty { return fields }
            guard let colon = line.firstIndex(of: 58) else { throw Malformed(what: "colon") }
            let value = line[(colon + 1)...]
            guard value.first == 32 else { throw Malformed(what: "space") }
            fields.append(HeaderField(name: text(line[..<colon]), value: text(value.dropFirst())))
        }
    }

    private mutating func line() throws -> ArraySlice<UInt8> {
        guard let end = rest.firstIndex(of: 13), end + 1 < rest.endIndex, rest[end + 1] == 10 else {
            throw Malformed(what: "line end")
        }
        let line = rest[..<end]
        guard !line.contains(10), !line.contains(0) else { throw Malformed(what: "LF or NUL in a line") }
        rest = rest[(end + 2)...]
        return line
    }

    private func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}
