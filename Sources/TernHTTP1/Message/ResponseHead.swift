// SPDX-License-Identifier: Apache-2.0

/// Status line and header section of a response (RFC 9112 §4, §5), in one shared buffer. Strings are made on demand. A
/// copy is a reference to the same buffer.
public struct ResponseHead: Sendable {
    /// The three-digit status code. 600 to 999 and 000 to 099 belong to no class; RFC 9110 §15 has them treated as 5xx.
    public var status: Int { Int(block.statusLine.status) }
    /// The version in the status line; its major version is 1.
    public var version: HTTPVersion { block.statusLine.version }
    /// The value of a valid `Content-Length`, also where it frames no content (`HEAD`, 304); `nil` without one.
    public var contentLength: Int? { block.contentLength }

    private let block: FieldBlock

    init(_ block: FieldBlock) { self.block = block }

    /// The object that the head was attached to.
    package var annex: AnyObject? { block.annex }

    /// Whether there is one.
    package var isAttached: Bool { block.isAttached }

    /// This head with an object that lives as long as the head: in place for the first object, and in a copy for others.
    package func attached(to annex: AnyObject) -> ResponseHead {
        if block.attach(annex) || block.annex === annex { return self }
        let copy = ResponseHead(block.copy)
        _ = copy.block.attach(annex)
        return copy
    }

    /// The reason phrase, often empty and always without meaning (RFC 9112 §4).
    public var reason: String {
        let end = Int(block.statusLine.reasonEnd)
        return block.string(min(StatusLine.reasonStart, end)..<end)
    }

    /// The number of fields.
    public var count: Int { block.count }

    /// The name of a field as the server sent it; empty beyond ``count``.
    public func name(at index: Int) -> String {
        block.position(at: index).map { block.string($0.name) } ?? ""
    }

    /// The value of a field without surrounding whitespace; empty beyond ``count``. Bytes that are not UTF-8 are read
    /// as ISO-8859-1.
    public func value(at index: Int) -> String {
        block.position(at: index).map { block.string($0.value) } ?? ""
    }

    /// The bytes of the value of a field as the server sent them, without surrounding whitespace; empty beyond
    /// ``count``.
    public func bytes(at index: Int) -> [UInt8] {
        block.position(at: index).map { block.bytes($0.value) } ?? []
    }

    /// All values of `name` joined with ", " (RFC 9110 §5.3), only the first for `Set-Cookie`, `nil` without one.
    public subscript(name: String) -> String? {
        guard let first = block.firstIndex(of: name) else { return nil }
        var combined = value(at: first)
        if name.isFieldName("Set-Cookie") { return combined }
        var start = first + 1
        while let next = block.firstIndex(of: name, from: start) {
            combined += ", "
            combined += value(at: next)
            start = next + 1
        }
        return combined
    }

    /// Every value of `name`, in order.
    public func values(for name: String) -> [String] {
        block.valueRanges(for: name).map(block.string)
    }

    /// The bytes of every value of `name`, in order.
    public func bytes(for name: String) -> [[UInt8]] {
        block.valueRanges(for: name).map(block.bytes)
    }

    /// Calls `body` with each element of the list in all fields called `name`, in order and in place. Returns false if there is
    /// more than the rules allow: then some or all elements are missing, and the caller must not trust the others.
    package func readList(_ name: String, _ rules: ListRules, _ body: (Span<UInt8>) -> Void) -> Bool {
        block.readList(name, rules, body)
    }

    /// Whether a field of this name is present; makes no string.
    public func contains(_ name: String) -> Bool {
        block.firstIndex(of: name) != nil
    }

    /// All fields as strings, computed by every access.
    public var fields: HeaderFields { block.fields }

    /// This head with one more field at its end, which is no `Content-Length` and has not been checked.
    package func appending(_ name: String, _ value: String) -> ResponseHead {
        ResponseHead(block.appending(name.utf8.span, value.utf8.span))
    }

    /// The status line and the fields as a server would send them: every name and value has the bytes that were
    /// received, and every line ends with CRLF. The empty line after them is included.
    public var encoded: [UInt8] {
        var bytes = encodedStatusLine
        for index in 0..<count { appendField(at: index, to: &bytes) }
        return bytes + [.carriageReturn, .lineFeed]
    }

    /// Its first line, with the line end.
    package var encodedStatusLine: [UInt8] {
        var bytes = Array(version.description.utf8)
        let digits = [status / 100, status / 10 % 10, status % 10].map { UInt8(truncatingIfNeeded: $0) &+ .zero }
        let end = Int(block.statusLine.reasonEnd)
        bytes += [.space] + digits + [.space] + block.bytes(min(StatusLine.reasonStart, end)..<end)
        return bytes + [.carriageReturn, .lineFeed]
    }

    /// The line of a field, with the line end; empty beyond ``count``.
    package func encodedField(at index: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        block.position(at: index).map { bytes.reserveCapacity($0.name.count + $0.value.count + 4) }
        appendField(at: index, to: &bytes)
        return bytes
    }

    private func appendField(at index: Int, to bytes: inout [UInt8]) {
        guard let position = block.position(at: index) else { return }
        block.append(position.name, to: &bytes)
        bytes.append(.colon)
        bytes.append(.space)
        block.append(position.value, to: &bytes)
        bytes.append(.carriageReturn)
        bytes.append(.lineFeed)
    }
}

extension ResponseHead: CustomStringConvertible {
    /// Status line and fields, without the values of secret ones.
    public var description: String { "\(version) \(status) \(reason)\n\(fields)" }
}

/// The protocol version of a message (RFC 9110 §2.5).
public struct HTTPVersion: Sendable, Hashable, CustomStringConvertible {
    /// The digit before the dot.
    public var major: Int { Int(majorDigit) }
    /// The digit after the dot.
    public var minor: Int { Int(minorDigit) }
    private let majorDigit: UInt8
    private let minorDigit: UInt8

    /// Creates a version from two digits (RFC 9112 §2.3); larger numbers are truncated to one digit.
    public init(major: Int, minor: Int) {
        majorDigit = UInt8(truncatingIfNeeded: major % 10)
        minorDigit = UInt8(truncatingIfNeeded: minor % 10)
    }

    init(minorDigit: UInt8) {
        majorDigit = 1
        self.minorDigit = minorDigit
    }

    /// The version as text, for example `HTTP/1.1`.
    public var description: String { "HTTP/\(major).\(minor)" }
}
