// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

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
