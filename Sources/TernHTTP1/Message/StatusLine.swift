// SPDX-License-Identifier: Apache-2.0

/// `HTTP-version SP status-code SP [ reason-phrase ]` (RFC 9112 §4).
struct StatusLine {
    var status: UInt16 = 0
    var version = HTTPVersion(major: 1, minor: 1)
    /// Where the reason phrase and the line end, counted from the line's start.
    var reasonEnd: UInt32 = 0
    var length: UInt32 = 0

    /// Where the reason phrase begins: after the fixed-length parts.
    static let reasonStart = 13

    enum Outcome {
        case line(StatusLine)
        case incomplete
        case malformed(HTTPProtocolError.StatusLine, at: Int)
    }

    /// Reads the line that begins at `start`.
    ///
    /// RFC 9112 §4 permits a recipient to accept any whitespace as the separator. The decoder accepts one deviation
    /// only: many servers omit the space before an empty reason phrase, which is unambiguous. A status line with other
    /// deviations is usually not HTTP.
    static func read(_ bytes: Span<UInt8>, at start: Int, bareLineFeed: Bool) -> Outcome {
        guard start >= 0, start &+ 16 <= bytes.count, bytes.word(at: start) == 0x312E_312F_5054_5448  // "HTTP/1.1"
        else { return readSlowPath(bytes, at: start, bareLineFeed: bareLineFeed) }
        let rest = bytes.word(at: start &+ 8)
        let digits = (rest &>> 8 & 0xFF_FFFF) ^ 0x30_3030
        // A digit is less than ten now, and any other byte becomes 0x80 or more when 0x76 is added.
        guard rest & 0xFF == 0x20, (digits | (digits &+ 0x76_7676)) & 0x80_8080 == 0 else {
            return readSlowPath(bytes, at: start, bareLineFeed: bareLineFeed)
        }
        let hundreds = UInt16(truncatingIfNeeded: digits & 0xFF) &* 100
        let tens = UInt16(truncatingIfNeeded: digits &>> 8 & 0xFF) &* 10
        let status = hundreds &+ tens &+ UInt16(truncatingIfNeeded: digits &>> 16)
        return readReason(bytes, at: start, status, minor: 1, bareLineFeed: bareLineFeed)
    }

    /// The first available byte that cannot be part of "HTTP/". Reported at once instead of at the line's end: a peer
    /// that speaks another protocol may never send a line end.
    static func prefixMismatch(_ bytes: Span<UInt8>, at start: Int) -> Int? {
        let prefix: InlineArray<5, UInt8> = [0x48, 0x54, 0x54, 0x50, 0x2F]
        for index in prefix.indices {
            guard start &+ index < bytes.count else { return nil }
            if bytes[start &+ index] != prefix[index] { return start &+ index }
        }
        return nil
    }

    /// Another minor version, an incomplete line, or a broken rule: byte by byte.
    private static func readSlowPath(_ bytes: Span<UInt8>, at start: Int, bareLineFeed: Bool) -> Outcome {
        if let wrong = prefixMismatch(bytes, at: start) { return .malformed(.notHTTP, at: wrong) }
        var status: UInt16 = 0
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
                status = status &* 10 &+ UInt16(byte &- .zero)
            }
        }
        let minor = bytes[start &+ 7] &- .zero
        return readReason(bytes, at: start, status, minor: minor, bareLineFeed: bareLineFeed)
    }

    @inline(__always)
    private static func readReason(
        _ bytes: Span<UInt8>, at start: Int, _ status: UInt16, minor: UInt8, bareLineFeed: Bool
    ) -> Outcome {
        var position = start &+ 12
        if position < bytes.count, bytes[position] > .space { return .malformed(.status, at: position) }
        while true {
            position = bytes.firstControl(from: position)
            guard position < bytes.count else { return .incomplete }
            let next: Int
            switch bytes[position] {
            case .carriageReturn:
                guard position &+ 1 < bytes.count else { return .incomplete }
                guard bytes[position &+ 1] == .lineFeed else { return .malformed(.bareCarriageReturn, at: position) }
                next = position &+ 2
            case .lineFeed:
                guard bareLineFeed else { return .malformed(.bareLineFeed, at: position) }
                next = position &+ 1
            case 0: return .malformed(.reasonPhrase, at: position)
            case _ where position == start &+ 12: return .malformed(.status, at: position)
            case _:
                position &+= 1  // RFC 9112 §4: a client should ignore what the phrase says
                continue
            }
            return .line(
                StatusLine(
                    status: status, version: HTTPVersion(minorDigit: minor),
                    reasonEnd: UInt32(truncatingIfNeeded: position &- start),
                    length: UInt32(truncatingIfNeeded: next &- start)))
        }
    }
}
