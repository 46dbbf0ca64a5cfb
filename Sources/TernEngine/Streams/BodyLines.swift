// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials

/// A response body as lines of text, as they arrive. For one reader.
///
/// A line ends with LF, CRLF or CR, wherever the chunks of the body end, and is delivered as soon as its end has
/// arrived. Empty lines are delivered, too; text after the last line end is one more line, if it is not empty. The text
/// is UTF-8: invalid bytes are replaced by U+FFFD, and a byte order mark before the first line is dropped.
///
/// Throws ``StreamedBodyError/lineTooLong(limit:)`` in place of a line that is longer than allowed, and the errors of
/// ``BodyBytes``: the part of a line before the error is not delivered. Ending the iteration, or releasing the
/// sequence, ends the response; see ``BodyBytes``.
public struct BodyLines: AsyncSequence, Sendable {
    /// A line without its terminator.
    public typealias Element = String

    private let bytes: BodyBytes
    private let limit: Int

    init(_ bytes: BodyBytes, limit: Int) {
        self.bytes = bytes
        self.limit = limit
    }

    /// All iterators share one body, but each splits its part of it into lines separately: use one.
    public func makeAsyncIterator() -> Iterator { Iterator(feed: LineFeed(bytes, limit: limit, terminator: .any)) }

    /// Returns the lines of a ``BodyLines`` one after another.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let feed: LineFeed

        /// Returns the next line, as soon as there is one; nil at the end of the body, and after an error.
        public mutating func next() async throws(SessionError) -> String? { try await feed.next(Self.text) }

        /// The same for a caller isolated to an actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(SessionError) -> String? {
            try await feed.next(Self.text)
        }

        private static func text(_ line: Span<UInt8>) -> String { String(decoding: line) }
    }
}

extension BodyBytes {
    /// The default maximum length of a line: 1 MB.
    public static let maximumLineLength = 1 << 20

    /// The body as lines of text, none longer than ``maximumLineLength``.
    public var lines: BodyLines { lines(maximumLength: Self.maximumLineLength) }

    /// The body as lines of text of at most `maximumLength` bytes, which bounds the memory that a server can use with
    /// an endless line.
    public func lines(maximumLength: Int) -> BodyLines { BodyLines(self, limit: maximumLength) }
}

/// Reads a body line by line, for one reader. Releases the body, and so its connection, at its end and after an error.
final class LineFeed {
    private var bytes: BodyBytes.Iterator?
    private var splitter: LineSplitter
    private var piece = Data()
    private var offset = 0
    /// The number of the last line, counted from 1.
    private(set) var number = 0

    init(_ bytes: BodyBytes, limit: Int, terminator: LineSplitter.Terminator) {
        self.bytes = bytes.makeAsyncIterator()
        splitter = LineSplitter(limit: limit, terminator: terminator)
    }

    /// Returns the result of `body` for the next line; nil at the end.
    func next<R>(_ body: (Span<UInt8>) -> R) async throws(SessionError) -> R? {
        while bytes != nil {
            if let result = try takeNext(body) { return result }
            guard let piece = try await nextPiece() else { return try finish(body) }
            (self.piece, offset) = (piece, 0)
        }
        return nil
    }

    /// An error of the closure ends the reading.
    func fail(_ error: StreamedBodyError) -> SessionError {
        defer { bytes = nil }
        return bytes?.error(error) ?? SessionError(.transfer(.unreadable(error)), phase: .body)
    }

    private func takeNext<R>(_ body: (Span<UInt8>) -> R) throws(SessionError) -> R? {
        let span = piece.span
        do throws(LineSplitter.TooLong) {
            guard let found = try splitter.next(in: span, from: &offset) else { return nil }
            number += 1
            switch found {
            case .here(let range): return body(span.extracting(range))
            case .kept: return body(splitter.takeKept().span)
            }
        } catch {
            throw fail(.lineTooLong(limit: error.limit))
        }
    }

    private func nextPiece() async throws(SessionError) -> Data? {
        do throws(SessionError) {
            return try await bytes?.next()
        } catch {
            bytes = nil
            throw error
        }
    }

    private func finish<R>(_ body: (Span<UInt8>) -> R) throws(SessionError) -> R? {
        do throws(LineSplitter.TooLong) {
            guard let last = try splitter.finish() else {
                bytes = nil
                return nil
            }
            number += 1
            bytes = nil
            return body(last.span)
        } catch {
            throw fail(.lineTooLong(limit: error.limit))
        }
    }
}

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
