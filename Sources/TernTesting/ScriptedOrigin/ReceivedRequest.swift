// SPDX-License-Identifier: Apache-2.0

/// One request as received by the origin.
public struct ReceivedRequest: Sendable {
    /// The number of the connection it came on, counted from 1.
    public let connection: Int
    /// Its position on that connection, counted from 0.
    public let index: Int
    /// Request line and fields with every byte as received, the empty line included.
    public let head: [UInt8]
    /// The content, with any chunked coding removed.
    public internal(set) var body: [UInt8] = []
    /// Fields after the last chunk.
    public internal(set) var trailers: [Field] = []
    /// False if the connection ended, or the script ended it, before the body was complete.
    public internal(set) var isComplete = false

    /// A field line: the name as sent by the client, the value without surrounding whitespace.
    public struct Field: Sendable, Equatable {
        /// As sent by the client.
        public let name: String
        /// Without surrounding whitespace.
        public let value: String

        /// Creates a field for comparisons.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    init(connection: Int, index: Int, head: [UInt8]) {
        self.connection = connection
        self.index = index
        self.head = head
    }

    /// The method token; empty if the request line has none.
    public var method: String { word(0) }

    /// The request target; empty if the request line has none.
    public var target: String { word(1) }

    /// The protocol version, such as `HTTP/1.1`; empty if the request line has none.
    public var version: String { word(2) }

    /// All fields in the order received, repeats included.
    public var fields: [Field] { lines.dropFirst().compactMap(Field.init(line:)) }

    /// The value of the first field of that name, whatever its case.
    public func value(of name: String) -> String? { values(of: name).first }

    /// The values of all fields of that name, whatever its case, in the order received.
    public func values(of name: String) -> [String] {
        let name = name.lowercased()
        return fields.filter { $0.name.lowercased() == name }.map(\.value)
    }

    /// The head as text.
    public var headText: String { String(decoding: head, as: UTF8.self) }

    /// The body as text.
    public var bodyText: String { String(decoding: body, as: UTF8.self) }

    private func word(_ position: Int) -> String {
        let words = (lines.first ?? []).split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        return position < words.count ? String(decoding: words[position], as: UTF8.self) : ""
    }

    private var lines: [ArraySlice<UInt8>] {
        head.split(separator: UInt8(ascii: "\n")).map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
            .filter { !$0.isEmpty }
    }
}

extension ReceivedRequest.Field {
    init?(line: ArraySlice<UInt8>) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let blank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        var value = line[(colon + 1)...].drop(while: blank)
        while let last = value.last, blank(last) { value.removeLast() }
        name = String(decoding: line[..<colon], as: UTF8.self)
        self.value = String(decoding: value, as: UTF8.self)
    }
}

extension ReceivedRequest {
    /// False only if the head has neither Content-Length nor Transfer-Encoding. Most requests have no body, and this
    /// search of the bytes avoids creating strings: `c` or `t` after a line feed, and a hyphen at the position in the
    /// names.
    var announcesBody: Bool {
        var start = 0
        while let feed = head[start...].firstIndex(of: UInt8(ascii: "\n")) {
            start = feed + 1
            guard start + 8 < head.count else { return false }
            let initial = head[start] | 0x20
            if initial == UInt8(ascii: "c"), head[start + 7] == UInt8(ascii: "-") { return true }
            if initial == UInt8(ascii: "t"), head[start + 8] == UInt8(ascii: "-") { return true }
        }
        return false
    }
}
