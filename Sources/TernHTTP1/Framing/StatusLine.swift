// SPDX-License-Identifier: Apache-2.0

/// `HTTP-version SP status-code SP [ reason-phrase ]` (RFC 9112 §4).
struct StatusLine {
    var status: Int
    var version: HTTPVersion
    /// Counted from the line's start, like ``reasonStart``.
    var reasonEnd: Int
    /// With its line end.
    var length: Int

    static let reasonStart = 13

    enum Outcome {
        case line(StatusLine)
        case incomplete
        case malformed(HTTP1Error.StatusLine, at: Int)
    }

    /// Reads the line that begins at `start`.
    ///
    /// RFC 9112 §4 permits a recipient to treat any whitespace as the separator. One leniency is worth it: many
    /// servers leave out the space before an empty reason phrase, and nothing is ambiguous about that. The rest stays
    /// as the grammar has it, for a status line that is off is mostly not HTTP.
    static func read(_ bytes: Span<UInt8>, at start: Int, bareLineFeed: Bool) -> Outcome {
        if let wrong = prefixMismatch(bytes, at: start) { return .malformed(.notHTTP, at: wrong) }
        var status = 0
        for index in 5..<12 {
            let position = start &+ index
            guard position < bytes.count else { return .incomplete }
            let byte = bytes[position]
            switch index {
            case 5 where byte.isDigit && byte != .zero + 1: return .malformed(.unsupportedVersion, at: position)
            case 5, 7: guard byte.isDigit else { return .malformed(.version, at: position) }
            case 6: guard byte == UInt8(ascii: ".") else { return .malformed(.version, at: position) }
            case 8: guard byte == .space else { return .malformed(.version, at: position) }
            case _:
                guard byte.isDigit else { return .malformed(.status, at: position) }
                status = status &* 10 &+ Int(byte &- .zero)
            }
        }
        let minor = Int(bytes[start &+ 7] &- .zero)
        let line = StatusLine(
            status: status, version: HTTPVersion(major: 1, minor: minor), reasonEnd: 0, length: 0)
        return readReason(bytes, at: start, line, bareLineFeed: bareLineFeed)
    }

    /// The first byte that cannot be part of "HTTP/", among those that are there. Told at once and not at the line's
    /// end: a peer that speaks another protocol may never send one.
    static func prefixMismatch(_ bytes: Span<UInt8>, at start: Int) -> Int? {
        let prefix: InlineArray<5, UInt8> = [0x48, 0x54, 0x54, 0x50, 0x2F]
        for index in prefix.indices {
            guard start &+ index < bytes.count else { return nil }
            if bytes[start &+ index] != prefix[index] { return start &+ index }
        }
        return nil
    }

    private static func readReason(
        _ bytes: Span<UInt8>, at start: Int, _ line: consuming StatusLine, bareLineFeed: Bool
    ) -> Outcome {
        var position = start &+ 12
        if position < bytes.count, bytes[position] > .space { return .malformed(.status, at: position) }
        while true {
            position = bytes.firstControl(from: position)
            guard position < bytes.count else { return .incomplete }
            line.reasonEnd = position &- start
            switch bytes[position] {
            case .carriageReturn:
                guard position &+ 1 < bytes.count else { return .incomplete }
                guard bytes[position &+ 1] == .lineFeed else { return .malformed(.bareCarriageReturn, at: position) }
                line.length = position &+ 2 &- start
                return .line(line)
            case .lineFeed:
                guard bareLineFeed else { return .malformed(.bareLineFeed, at: position) }
                line.length = position &+ 1 &- start
                return .line(line)
            case 0: return .malformed(.reasonPhrase, at: position)
            case _ where position == start &+ 12: return .malformed(.status, at: position)
            case _: position &+= 1  // RFC 9112 §4: a client should ignore what the phrase says
            }
        }
    }
}
