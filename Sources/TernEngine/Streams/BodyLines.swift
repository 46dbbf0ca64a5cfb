// SPDX-License-Identifier: Apache-2.0

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
