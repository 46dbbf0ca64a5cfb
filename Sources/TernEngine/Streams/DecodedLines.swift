// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials

/// A response body as JSON values, one on each line (`application/x-ndjson`, `application/jsonl`), decoded as they
/// arrive. For one reader.
///
/// A value ends with LF; a CR before it, and surrounding whitespace, are ignored (RFC 8259 §2). Blank lines are
/// skipped, and text after the last LF is one more value. The `Content-Type` is not checked: the caller has chosen this
/// format.
///
/// Throws ``StreamedBodyError/undecodableLine(number:_:)`` for a line that is not such a value, and the errors of
/// ``BodyLines``. After an error there are no more values. Ending the iteration, or releasing the sequence, ends the
/// response; see ``BodyBytes``.
public struct DecodedLines<Element: Decodable>: AsyncSequence, Sendable {
    private let bytes: BodyBytes
    private let decoder: JSONDecoder
    private let limit: Int

    init(_ bytes: BodyBytes, _ decoder: JSONDecoder, limit: Int) {
        self.bytes = bytes
        self.decoder = decoder
        self.limit = limit
    }

    /// All iterators share one body, but each splits its part of it into lines separately: use one.
    public func makeAsyncIterator() -> Iterator {
        Iterator(feed: LineFeed(bytes, limit: limit, terminator: .lineFeed), decoder: decoder)
    }

    /// Returns the values of a ``DecodedLines`` one after another.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let feed: LineFeed
        fileprivate let decoder: JSONDecoder

        /// Returns the next value, as soon as its line is complete; nil at the end of the body, and after an error.
        public mutating func next() async throws(SessionError) -> Element? {
            while let line = try await feed.next(JSONLine.content) {
                if let line { return try decode(line) }
            }
            return nil
        }

        /// The same for a caller isolated to an actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(SessionError) -> Element? {
            while let line = try await feed.next(JSONLine.content) {
                if let line { return try decode(line) }
            }
            return nil
        }

        private func decode(_ line: Data) throws(SessionError) -> Element {
            do {
                return try decoder.decode(Element.self, from: line)
            } catch {
                throw feed.fail(.undecodableLine(number: feed.number, error))
            }
        }
    }
}

extension BodyBytes {
    /// The body as JSON values, one on each line, none of which is longer than `maximumLineLength` bytes.
    public func decoded<Value: Decodable>(
        as type: Value.Type, decoder: JSONDecoder = JSONDecoder(), maximumLineLength: Int = Self.maximumLineLength
    ) -> DecodedLines<Value> {
        DecodedLines(self, decoder, limit: maximumLineLength)
    }
}

private enum JSONLine {
    /// Nil for a blank line.
    static func content(_ line: Span<UInt8>) -> Data? {
        guard line.indices.contains(where: { !isBlank(line[$0]) }) else { return nil }
        var content = Data()
        content.append(line)
        return content
    }

    /// RFC 8259 §2
    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
}
