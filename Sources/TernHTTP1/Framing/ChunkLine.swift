// SPDX-License-Identifier: Apache-2.0

/// `chunk-size [ chunk-ext ] CRLF` (RFC 9112 §7.1), with spaces and tabs behind the size: servers pad it to a fixed width,
/// and the line has one reading all the same. In front of the size there is none, nor anything but CRLF behind it.
enum ChunkLine {
    case size(Int, next: Int)
    case incomplete
    case malformed(HTTPProtocolError.Chunk, at: Int)

    /// Reads the line that begins at `start`.
    static func read(_ bytes: Span<UInt8>, at start: Int) -> ChunkLine {
        var size = 0
        var position = start
        while position < bytes.count {
            let digit = bytes[position].hexadecimalDigit
            guard digit < 16 else { break }
            guard size <= Int.max &>> 4 else { return .malformed(.sizeOverflow, at: position) }
            size = size &<< 4 | Int(digit)
            position &+= 1
        }
        guard position &+ 1 < bytes.count else { return readEnd(bytes, start, position) }
        guard position > start else { return .malformed(.size, at: position) }
        if bytes[position] == .carriageReturn, bytes[position &+ 1] == .lineFeed {
            return .size(size, next: position &+ 2)
        }
        return readExtensions(bytes, from: position, size)
    }

    /// The input ends within the size or right after it.
    private static func readEnd(_ bytes: Span<UInt8>, _ start: Int, _ position: Int) -> ChunkLine {
        guard position < bytes.count else { return .incomplete }
        if position == start { return .malformed(.size, at: position) }
        return bytes[position] == .lineFeed ? .malformed(.bareLineFeed, at: position) : .incomplete
    }

    /// Skips extensions (§7.1.1): a recipient ignores those it does not understand. Their delimiters are checked,
    /// because a parser must not guess where the line ends.
    private static func readExtensions(_ bytes: Span<UInt8>, from start: Int, _ size: Int) -> ChunkLine {
        var position = start
        while position < bytes.count, bytes[position].isBlank { position &+= 1 }
        guard position < bytes.count else { return .incomplete }
        switch bytes[position] {
        case .semicolon, .carriageReturn: break
        case .lineFeed: return .malformed(.bareLineFeed, at: position)
        case _: return .malformed(position == start ? .size : .chunkExtension, at: position)
        }
        while position < bytes.count {
            position = bytes.firstControl(from: position)
            guard position < bytes.count else { return .incomplete }
            switch bytes[position] {
            case .horizontalTab: position &+= 1
            case .carriageReturn:
                guard position &+ 1 < bytes.count else { return .incomplete }
                guard bytes[position &+ 1] == .lineFeed else { return .malformed(.bareCarriageReturn, at: position) }
                return .size(size, next: position &+ 2)
            case .lineFeed: return .malformed(.bareLineFeed, at: position)
            case _: return .malformed(.chunkExtension, at: position)
            }
        }
        return .incomplete
    }
}
