// SPDX-License-Identifier: Apache-2.0

/// A response body as lines of text, as they come. For one reader.
///
/// A line ends with LF, CRLF or CR, wherever the pieces of the body end, and is delivered as soon as that has come.
/// Empty lines are delivered, too; what stands behind the last end of line is one more line, if it is not empty. The
/// text is UTF-8: what is not is replaced by U+FFFD, and a byte order mark before the first line is dropped.
///
/// Throws ``StreamedBodyError/lineTooLong(limit:)`` in place of a line that is longer than allowed, and what
/// ``BodyBytes`` throws where the body breaks off: the part of a line before that is not delivered. Ending the
/// iteration, or letting go of the sequence, ends the response; see ``BodyBytes``.
public struct BodyLines: AsyncSequence, Sendable {
    /// A line without what ended it.
    public typealias Element = String

    private let bytes: BodyBytes
    private let limit: Int

    init(_ bytes: BodyBytes, limit: Int) {
        self.bytes = bytes
        self.limit = limit
    }

    /// All iterators share one body, but each cuts what it gets of it into lines by itself: have one.
    public func makeAsyncIterator() -> Iterator { Iterator(feed: LineFeed(bytes, limit: limit, terminator: .any)) }

    /// Takes the lines of a ``BodyLines`` one after another.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let feed: LineFeed

        /// The next line, as soon as there is one; nil at the end of the body, and after an error.
        public mutating func next() async throws(SessionError) -> String? { try await feed.next(Self.text) }

        /// The same for a caller isolated to an actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(SessionError) -> String? {
            try await feed.next(Self.text)
        }

        private static func text(_ line: Span<UInt8>) -> String { String(decoding: line) }
    }
}

extension BodyBytes {
    /// The longest line that is delivered unless the caller says otherwise, in octets: 1 MB.
    public static let maximumLineLength = 1 << 20

    /// The body as lines of text, none longer than ``maximumLineLength``.
    public var lines: BodyLines { lines(maximumLength: Self.maximumLineLength) }

    /// The body as lines of text of at most `maximumLength` bytes, which bounds the memory that a server can use with a
    /// line that does not end.
    public func lines(maximumLength: Int) -> BodyLines { BodyLines(self, limit: maximumLength) }
}
