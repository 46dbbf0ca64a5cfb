// SPDX-License-Identifier: Apache-2.0

/// What a server's `Keep-Alive` field promises of its idle connections (RFC 2068 §19.7.1.1, still in wide use).
public struct KeepAlive: Sendable, Hashable {
    /// The number of seconds for which the server keeps an idle connection open.
    public var timeout: Int?
    /// The number of further requests that the server accepts on this connection.
    public var max: Int?

    /// Creates a value; `nil` for what the server did not say.
    public init(timeout: Int? = nil, max: Int? = nil) {
        self.timeout = timeout
        self.max = max
    }

    /// Reads `timeout=5, max=100`. The field is only a hint, so malformed elements are skipped.
    mutating func read(_ bytes: Span<UInt8>, _ value: Range<Int>) {
        var elements = ListElements(value)
        while let element = elements.next(in: bytes) {
            var equals = element.lowerBound
            while equals < element.upperBound, bytes[equals] != UInt8(ascii: "=") { equals &+= 1 }
            guard equals < element.upperBound else { continue }
            guard case .value(let number) = Decimal.read(bytes, (equals &+ 1)..<element.upperBound) else { continue }
            let name = bytes.extracting(element.lowerBound..<equals)
            if name.isEqualIgnoringCase(to: "timeout".utf8.span) { timeout = number }
            if name.isEqualIgnoringCase(to: "max".utf8.span) { max = number }
        }
    }
}
