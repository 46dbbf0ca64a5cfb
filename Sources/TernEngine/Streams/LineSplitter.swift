// SPDX-License-Identifier: Apache-2.0

/// Splits text into lines, however it arrives. A pure state machine. No line is longer than its limit, which bounds the
/// memory.
struct LineSplitter: ~Copyable {
    /// The line terminator.
    enum Terminator {
        /// LF, CRLF or CR (WHATWG HTML §9.2.5). A line ends with its CR, and does not wait for the next byte.
        case any
        /// LF alone: a CR before it is left to the reader of the line.
        case lineFeed
    }

    /// Where a line is stored.
    enum Found: Equatable {
        /// In the bytes given last.
        case here(Range<Int>)
        /// Joined from several calls: `takeKept` returns it.
        case kept
    }

    /// A line was longer than allowed. Thrown by every further call.
    struct TooLong: Error, Equatable {
        /// In bytes, without the terminator.
        let limit: Int
    }

    private enum Stage {
        /// Before the end of the first line. Exits: within, failed.
        case first
        /// Exit: failed.
        case within
        /// Exit: none.
        case failed
    }

    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    private let limit: Int
    private let terminator: Terminator
    private var stage = Stage.first
    /// The beginning of a line whose end has not arrived.
    private var kept: [UInt8] = []
    /// The last line ended with a CR, so an LF that comes next belongs to it.
    private var passesLineFeed = false

    /// - Parameter limit: the maximum length of a line, in bytes without the terminator; a negative value counts as
    ///   zero.
    init(limit: Int, terminator: Terminator = .any) {
        self.limit = max(0, min(limit, .max / 2))
        self.terminator = terminator
    }

    /// Returns the next line of `bytes[offset...]`, moving `offset` past it; nil if it is incomplete, and then the
    /// bytes are kept. A byte order mark before the first line is not part of it.
    mutating func next(in bytes: Span<UInt8>, from offset: inout Int) throws(TooLong) -> Found? {
        if case .failed = stage { throw TooLong(limit: limit) }
        if passesLineFeed, offset < bytes.count {
            if bytes[offset] == .lineFeed { offset += 1 }
            passesLineFeed = false
        }
        let end = self.end(in: bytes, from: offset)
        guard end < bytes.count else {
            try keep(bytes.extracting(offset..<end))
            offset = end
            return nil
        }
        let line = offset..<end
        passesLineFeed = bytes[end] == .carriageReturn
        offset = end + 1
        return try found(line, of: bytes)
    }

    private func end(in bytes: Span<UInt8>, from offset: Int) -> Int {
        var end = offset
        switch terminator {
        case .lineFeed: while end < bytes.count, bytes[end] != .lineFeed { end += 1 }
        case .any:
            while end < bytes.count, bytes[end] != .lineFeed, bytes[end] != .carriageReturn { end += 1 }
        }
        return end
    }

    private mutating func found(_ line: Range<Int>, of bytes: Span<UInt8>) throws(TooLong) -> Found {
        if !kept.isEmpty {
            try keep(bytes.extracting(line))
            dropMark()
            try admit(kept.count)
            return .kept
        }
        var line = line
        if case .first = stage, Self.beginsWithMark(bytes.extracting(line)) {
            line = line.dropFirst(Self.byteOrderMark.count)
        }
        try admit(line.count)
        return .here(line)
    }

    /// Whether a line of the maximum length has ended.
    private mutating func admit(_ count: Int) throws(TooLong) {
        guard count <= limit else { throw fail() }
        stage = .within
    }

    private mutating func keep(_ piece: Span<UInt8>) throws(TooLong) {
        // A possible byte order mark is counted when the line is complete.
        let allowance: Int
        switch stage {
        case .first: allowance = Self.byteOrderMark.count
        case .within, .failed: allowance = 0
        }
        guard piece.count <= limit - kept.count + allowance else { throw fail() }
        for index in piece.indices { kept.append(piece[index]) }
    }

    private mutating func fail() -> TooLong {
        stage = .failed
        kept = []
        return TooLong(limit: limit)
    }

    private mutating func dropMark() {
        guard case .first = stage, Self.beginsWithMark(kept.span) else { return }
        kept.removeFirst(Self.byteOrderMark.count)
    }

    private static func beginsWithMark(_ bytes: Span<UInt8>) -> Bool {
        bytes.count >= byteOrderMark.count && byteOrderMark.indices.allSatisfy { bytes[$0] == byteOrderMark[$0] }
    }

    /// Returns the line that was joined.
    mutating func takeKept() -> [UInt8] {
        defer { kept = [] }
        return kept
    }

    /// The text has ended: returns the line without a terminator, nil if there is none.
    mutating func finish() throws(TooLong) -> [UInt8]? {
        if case .failed = stage { throw TooLong(limit: limit) }
        dropMark()
        if kept.isEmpty { return nil }
        try admit(kept.count)
        return takeKept()
    }
}

extension UInt8 {
    fileprivate static let lineFeed = UInt8(ascii: "\n")
    fileprivate static let carriageReturn = UInt8(ascii: "\r")
}

extension String {
    /// The text of UTF-8 bytes, with U+FFFD for invalid ones.
    init(decoding bytes: Span<UInt8>) {
        // The span is valid for this call; the text is a copy of it.
        self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
