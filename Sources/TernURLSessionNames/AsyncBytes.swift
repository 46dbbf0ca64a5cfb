// SPDX-License-Identifier: Apache-2.0
import Foundation
public import TernEngine

extension Session {
    /// The bytes of a body, one by one.
    public struct AsyncBytes: AsyncSequence, Sendable {
        public typealias Element = UInt8
        private let pieces: BodyBytes

        /// The lines of the body as text, without their ends.
        public var lines: BodyLines { pieces.lines }

        init(_ pieces: BodyBytes) { self.pieces = pieces }

        /// Reads the body, which can be read once.
        public func makeAsyncIterator() -> Iterator { Iterator(pieces: pieces.makeAsyncIterator()) }

        /// Ends with an error if the body breaks off.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var pieces: BodyBytes.Iterator
            private var piece = Data()
            private var index = 0

            fileprivate init(pieces: BodyBytes.Iterator) { self.pieces = pieces }

            /// The next byte; nil at the end.
            public mutating func next() async throws -> UInt8? {
                while index == piece.endIndex {
                    guard let next = try await pieces.next() else { return nil }
                    (piece, index) = (next, next.startIndex)
                }
                defer { index += 1 }
                return piece[index]
            }
        }
    }
}

extension Session.AsyncBytes {
    /// The body as Unicode scalars; what is not UTF-8 becomes U+FFFD, as in a string.
    public var unicodeScalars: UnicodeScalars { UnicodeScalars(bytes: self) }

    /// The body as characters; what is not UTF-8 becomes U+FFFD.
    public var characters: Characters { Characters(scalars: unicodeScalars) }

    /// The Unicode scalars of a body, one by one.
    public struct UnicodeScalars: AsyncSequence, Sendable {
        public typealias Element = Unicode.Scalar
        fileprivate let bytes: Session.AsyncBytes

        /// Reads the body, which can be read once.
        public func makeAsyncIterator() -> Iterator { Iterator(bytes: bytes.makeAsyncIterator()) }

        /// Ends with an error if the body breaks off.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var bytes: Session.AsyncBytes.Iterator
            private var pending: [UInt8] = []
            private var hasEnded = false

            fileprivate init(bytes: Session.AsyncBytes.Iterator) { self.bytes = bytes }

            /// The next scalar; nil at the end.
            public mutating func next() async throws -> Unicode.Scalar? {
                // A scalar has four bytes at most; a wrong one says so by then.
                while pending.count < 4, !hasEnded, pending.first.map({ $0 < 0x80 }) != true {
                    if let byte = try await bytes.next() { pending.append(byte) } else { hasEnded = true }
                }
                var input = pending.makeIterator()
                var parser = UTF8.ForwardParser()
                switch parser.parseScalar(from: &input) {
                case .valid(let bytes):
                    pending.removeFirst(bytes.count)
                    return UTF8.decode(bytes)
                case .error(let length):
                    pending.removeFirst(length)
                    return "\u{FFFD}"
                case .emptyInput: return nil
                }
            }
        }
    }

    /// The characters of a body, one by one.
    public struct Characters: AsyncSequence, Sendable {
        public typealias Element = Character
        fileprivate let scalars: UnicodeScalars

        /// Reads the body, which can be read once.
        public func makeAsyncIterator() -> Iterator { Iterator(scalars: scalars.makeAsyncIterator()) }

        /// Ends with an error if the body breaks off, and with
        /// ``TernEngine/StreamedBodyError/characterTooLong(limit:)`` in place of a character of more than
        /// ``TernEngine/BodyBytes/maximumLineLength`` bytes: a letter may have any number of accents.
        public struct Iterator: AsyncIteratorProtocol {
            /// Nil at the end, and after an error.
            fileprivate var scalars: UnicodeScalars.Iterator?
            private var splitter = CharacterSplitter(limit: BodyBytes.maximumLineLength)

            fileprivate init(scalars: UnicodeScalars.Iterator) { self.scalars = scalars }

            /// The next character; nil at the end.
            public mutating func next() async throws -> Character? {
                guard let pieces = scalars?.bytes.pieces else { return nil }
                do {
                    while let scalar = try await scalars?.next() {
                        if let character = try splitter.next(scalar) { return character }
                        // Much of a long character may arrive at once.
                        if splitter.length & 0x3FFF == 0, Task.isCancelled {
                            throw SessionError(.cancelled, phase: .body)
                        }
                    }
                    scalars = nil
                    return splitter.finish()
                } catch {
                    scalars = nil
                    throw (error as? CharacterSplitter.TooLong).map {
                        pieces.error(.characterTooLong(limit: $0.limit))
                    } ?? error
                }
            }
        }
    }
}

/// Joins scalars to characters. Each scalar is looked at once, however long a character is (UAX #29).
struct CharacterSplitter {
    /// A character was longer than allowed.
    struct TooLong: Error {
        let limit: Int
    }

    private let limit: Int
    private var recognizer = Unicode._CharacterRecognizer()
    private var text = ""

    /// - Parameter limit: the maximum length of a character, in bytes of UTF-8.
    init(limit: Int) { self.limit = limit }

    /// The number of bytes of the character that has not ended.
    var length: Int { text.utf8.count }

    /// Returns the character that ends before `scalar`.
    mutating func next(_ scalar: Unicode.Scalar) throws(TooLong) -> Character? {
        let character = recognizer.hasBreak(before: scalar) ? finish() : nil
        text.unicodeScalars.append(scalar)
        if length > limit { throw TooLong(limit: limit) }
        return character
    }

    /// Returns the last character; nil if there is none.
    mutating func finish() -> Character? {
        defer { text = "" }
        return text.isEmpty ? nil : Character(text)
    }
}
