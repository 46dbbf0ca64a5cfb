// SPDX-License-Identifier: Apache-2.0
// As strict as tests need: CRLF ends lines, the head ends at the first empty line, the body is framed by RFC 9112 §6.3
// with chunked as the only coding.

/// Splits the bytes of one connection into requests.
struct RequestReader {
    private enum Framing { case length(Int), chunked }

    private static let headLimit = 1 << 20

    private let stream: OriginStream
    private var buffer: [UInt8] = []
    private var position = 0

    init(_ stream: OriginStream) { self.stream = stream }

    mutating func append(_ bytes: [UInt8]) { buffer += bytes }

    /// Returns the next head, the empty line included.
    mutating func readHead() throws(ConnectionEnd) -> [UInt8] {
        let start = position
        while true {
            if try readLine().isEmpty { break }
            guard position - start <= Self.headLimit else { throw .malformed }
        }
        return Array(buffer[start..<position])
    }

    /// Waits until this number of bytes is unread.
    mutating func await(_ count: Int) throws(ConnectionEnd) {
        while buffer.count - position < count { try stream.receive(into: &buffer) }
    }

    /// Removes this number of bytes.
    mutating func take(_ count: Int) throws(ConnectionEnd) -> [UInt8] {
        try self.await(count)
        defer { position += count }
        return Array(buffer[position..<position + count])
    }

    /// The next byte, which stays.
    mutating func peek() throws(ConnectionEnd) -> UInt8 {
        try self.await(1)
        return buffer[position]
    }

    /// Removes what has arrived.
    mutating func takeRest() -> [UInt8] {
        defer { (buffer, position) = ([], 0) }
        return Array(buffer[position...])
    }

    /// Reads the body that the head announces into the request, as far as it arrives.
    mutating func readBody(of request: inout ReceivedRequest) throws(ConnectionEnd) {
        switch try Self.framing(of: request) {
        case .length(let count): try readContent(count, into: &request.body)
        case .chunked:
            while case let size = try readChunkSize(), size > 0 {
                try readContent(size, into: &request.body)
                guard try readLine().isEmpty else { throw .malformed }
            }
            while case let line = try readLine(), !line.isEmpty {
                guard let field = ReceivedRequest.Field(line: buffer[line]) else { throw .malformed }
                request.trailers.append(field)
            }
        }
        request.isComplete = true
        compact()
    }

    private static func framing(of request: ReceivedRequest) throws(ConnectionEnd) -> Framing {
        // Most requests have no body: a search of the bytes avoids creating strings.
        guard request.announcesBody else { return .length(0) }
        if let coding = request.value(of: "transfer-encoding") {
            guard coding.lowercased() == "chunked" else { throw .malformed }
            return .chunked
        }
        guard let length = request.value(of: "content-length") else { return .length(0) }
        guard length.utf8.allSatisfy({ 48...57 ~= $0 }), let count = Int(length) else { throw .malformed }
        return .length(count)
    }

    private mutating func readChunkSize() throws(ConnectionEnd) -> Int {
        let digits = buffer[try readLine()].prefix { $0 != UInt8(ascii: ";") }
        guard let size = Int(String(decoding: digits, as: UTF8.self), radix: 16), size >= 0 else { throw .malformed }
        return size
    }

    /// Appends this number of bytes, as they arrive.
    mutating func readContent(_ count: Int, into body: inout [UInt8]) throws(ConnectionEnd) {
        var left = count
        while true {
            let part = min(left, buffer.count - position)
            body += buffer[position..<position + part]
            position += part
            left -= part
            if left == 0 { return }
            compact()
            try stream.receive(into: &buffer)
        }
    }

    /// Skips a line; returns its position in the buffer, without its CRLF.
    private mutating func readLine() throws(ConnectionEnd) -> Range<Int> {
        var scanned = position
        while true {
            while scanned + 1 < buffer.count {
                if buffer[scanned] == UInt8(ascii: "\r"), buffer[scanned + 1] == UInt8(ascii: "\n") {
                    defer { position = scanned + 2 }
                    return position..<scanned
                }
                scanned += 1
            }
            guard buffer.count - position <= Self.headLimit else { throw .malformed }
            try stream.receive(into: &buffer)
        }
    }

    private mutating func compact() {
        buffer.removeFirst(position)
        position = 0
    }
}
