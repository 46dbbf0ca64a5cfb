// SPDX-License-Identifier: Apache-2.0
import Foundation
public import Tern

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
    /// The body as Unicode scalars; what is not UTF-8 becomes U+FFFD.
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
                var decoder = UTF8()
                let result = decoder.decode(&input)
                guard case .emptyInput = result else {
                    if case .scalarValue(let scalar) = result {
                        pending.removeFirst(String(scalar).utf8.count)
                        return scalar
                    }
                    pending.removeFirst()
                    return "\u{FFFD}"
                }
                return nil
            }
        }
    }

    /// The characters of a body, one by one.
    public struct Characters: AsyncSequence, Sendable {
        public typealias Element = Character
        fileprivate let scalars: UnicodeScalars

        /// Reads the body, which can be read once.
        public func makeAsyncIterator() -> Iterator { Iterator(scalars: scalars.makeAsyncIterator()) }

        /// Ends with an error if the body breaks off.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var scalars: UnicodeScalars.Iterator
            private var text = ""

            fileprivate init(scalars: UnicodeScalars.Iterator) { self.scalars = scalars }

            /// The next character; nil at the end.
            public mutating func next() async throws -> Character? {
                while text.count < 2 {
                    guard let scalar = try await scalars.next() else { break }
                    text.unicodeScalars.append(scalar)
                }
                return text.isEmpty ? nil : text.removeFirst()
            }
        }
    }
}
