// SPDX-License-Identifier: Apache-2.0

/// The lines of a section read so far. Positions count from the section's first byte, so the section may lie in the
/// caller's buffer or, when it came in several chunks, in the decoder's own.
struct SectionLines: ~Copyable {
    private(set) var statusLine: StatusLine?
    private(set) var hasFolds = false
    /// Storage for positions, kept between sections; the first `count` belong to this one.
    private(set) var table: [FieldPosition] = []
    private(set) var count = 0

    private var statusLineLength: Int { statusLine.map { Int($0.length) } ?? 0 }

    /// The growth step of the table: a usual head fits into one step.
    private static let growth = 32

    /// Returns the error for a rule broken at a position of the buffer, in the line that began at `line`.
    struct Refusal: Error {
        var reason: HTTPProtocolError.Reason
        var position: Int
        var line: Int
    }

    mutating func reset() {
        statusLine = nil
        hasFolds = false
        count = 0
    }

    /// Reads whole lines from `line` on, moving it past them. Returns `true` if the empty line was among them.
    @inline(__always)
    mutating func read(
        _ bytes: Span<UInt8>, section: Int, line: inout Int, _ rules: SectionRules
    ) throws(Refusal) -> Bool {
        if let limit = rules.statusLineSize, statusLine == nil {
            guard try readStatusLine(bytes, line: &line, limit: limit, rules) else { return false }
        }
        let fields = section &+ statusLineLength
        if !rules.isTrailer, readFastPath(bytes, section: section, fields: fields, line: &line, rules) { return true }
        return try readSlowPath(bytes, section: section, fields: fields, line: &line, rules)
    }

    /// Reads lines of any form; after an unusual line, the fast path reads the usual ones again.
    private mutating func readSlowPath(
        _ bytes: Span<UInt8>, section: Int, fields: Int, line: inout Int, _ rules: SectionRules
    ) throws(Refusal) -> Bool {
        while true {
            let limit = rules.lineLimit(used: line &- fields)
            switch FieldLine.read(bytes, at: line, bareLineFeed: rules.bareLineFeed) {
            case .field(let name, let value, let next):
                try check(line: line, next: next, limit, rules)
                add(name.shifted(by: -section), value.shifted(by: -section))
                line = next
                if !rules.isTrailer, readFastPath(bytes, section: section, fields: fields, line: &line, rules) {
                    return true
                }
            case .continuation(let value, let next):
                guard next &- line &- 2 <= limit.bytes else { throw Self.tooLong(line, limit) }
                try fold(bytes, section: section, line: line, value)
                line = next
            case .end(let next):
                line = next
                return true
            case .incomplete:
                try judge(bytes, line, wrong: nil, limit)
                return false
            case .malformed(let reason, let position):
                try judge(bytes, line, wrong: (reason, position), limit)
                return false
            }
        }
    }

    /// Reads a section that is an array of its own.
    mutating func read(_ section: [UInt8], line: inout Int, _ rules: SectionRules) throws(Refusal) -> Bool {
        try read(section.span, section: 0, line: &line, rules)
    }

    /// Whether the incomplete line at `line` is refused now, because it cannot become valid.
    func isDue(_ bytes: Span<UInt8>, line: Int, _ rules: SectionRules) -> Bool {
        var limit = rules.lineLimit(used: line &- statusLineLength).bytes
        if let statusLineSize = rules.statusLineSize, statusLine == nil {
            if StatusLine.prefixMismatch(bytes, at: line) != nil { return true }
            limit = statusLineSize
        }
        return bytes.count &- line >= limit.addingSaturating(2)
    }

    private mutating func readStatusLine(
        _ bytes: Span<UInt8>, line: inout Int, limit: Int, _ rules: SectionRules
    ) throws(Refusal) -> Bool {
        let verdict: LineRefusal
        var reason = HTTPProtocolError.StatusLine.notHTTP
        switch StatusLine.read(bytes, at: line, bareLineFeed: rules.bareLineFeed) {
        case .line(let statusLine) where Int(statusLine.length) &- 2 <= limit:
            self.statusLine = statusLine
            line &+= Int(statusLine.length)
            return true
        case .line: verdict = .refuse(at: line &+ limit, isTooLong: true)
        case .incomplete: verdict = LineRefusal(bytes, line: line, wrong: nil, limit: limit)
        case .malformed(.notHTTP, let position): verdict = .refuse(at: position, isTooLong: false)
        case .malformed(let broken, let position):
            reason = broken
            verdict = LineRefusal(bytes, line: line, wrong: position, limit: limit)
        }
        switch verdict {
        case .wait: return false
        case .refuse(let position, isTooLong: true):
            throw Refusal(reason: .limit(.statusLineSize), position: position, line: line)
        case .refuse(let position, isTooLong: false):
            throw Refusal(reason: .statusLine(reason), position: position, line: line)
        }
    }

    /// Reads the lines that ``FastFieldParser`` can read. It receives only bytes within every limit from `line` on; a
    /// longer line is cut off, and left to the reader that knows which limit it breaks.
    private mutating func readFastPath(
        _ bytes: Span<UInt8>, section: Int, fields: Int, line: inout Int, _ rules: SectionRules
    ) -> Bool {
        let end = min(
            bytes.count, fields.addingSaturating(rules.sectionBytes), line.addingSaturating(rules.lineBytes &+ 2))
        guard section >= 0, section <= line, line < end else { return false }
        let within = bytes.extracting(section..<end)
        repeat {
            if count == table.count, count < rules.count { grow(to: rules.count) }
            let before = count
            let room = min(table.count, rules.count)
            var positions = table.mutableSpan
            let usual = FastFieldParser(within, line: line &- section, into: &positions, count: before, room: room)
            count = usual.count
            line = section &+ usual.line
            if usual.isEnd { return true }
        } while count == table.count && count < rules.count
        return false
    }

    private mutating func grow(to limit: Int) {
        let blank = FieldPosition(name: (0, 0), value: (0, 0))
        table.append(contentsOf: repeatElement(blank, count: min(Self.growth, limit &- table.count)))
    }

    private mutating func add(_ name: Range<Int>, _ value: Range<Int>) {
        if count == table.count { grow(to: .max) }
        table[count] = FieldPosition(
            name: (name.lowerBound, name.upperBound), value: (value.lowerBound, value.upperBound))
        count &+= 1
    }

    private func check(
        line: Int, next: Int, _ limit: (bytes: Int, reason: HTTPProtocolError.Limit), _ rules: SectionRules
    ) throws(Refusal) {
        // The length first: a line that is too long is refused before its end has arrived.
        guard next &- line &- 2 <= limit.bytes else { throw Self.tooLong(line, limit) }
        guard count < rules.count else {
            throw Refusal(reason: .limit(rules.countReason), position: line, line: line)
        }
    }

    /// Extends the last field's value to the continuation's end. Framing fields are not unfolded: request smuggling
    /// relies on two recipients that see different lengths in one message.
    private mutating func fold(
        _ bytes: Span<UInt8>, section: Int, line: Int, _ value: Range<Int>
    ) throws(Refusal) {
        guard count > 0 else {
            throw Refusal(reason: .field(.leadingWhitespace), position: line, line: line)
        }
        let last = table[count &- 1]
        guard !FramingField.isFraming(bytes.extracting(last.name.shifted(by: section))) else {
            throw Refusal(reason: .framing(.folded), position: line, line: line)
        }
        hasFolds = true
        guard !value.isEmpty else { return }
        count &-= 1
        let added = value.shifted(by: -section)
        let start = last.value.isEmpty ? added.lowerBound : last.value.lowerBound
        add(last.name, start..<added.upperBound)
    }

    private func judge(
        _ bytes: Span<UInt8>, _ line: Int, wrong: (reason: HTTPProtocolError.Field, position: Int)?,
        _ limit: (bytes: Int, reason: HTTPProtocolError.Limit)
    ) throws(Refusal) {
        switch LineRefusal(bytes, line: line, wrong: wrong?.position, limit: limit.bytes) {
        case .wait: return
        case .refuse(_, isTooLong: true): throw Self.tooLong(line, limit)
        case .refuse(let position, isTooLong: false):
            guard let wrong else { throw Self.tooLong(line, limit) }
            throw Refusal(reason: .field(wrong.reason), position: position, line: line)
        }
    }

    private static func tooLong(_ line: Int, _ limit: (bytes: Int, reason: HTTPProtocolError.Limit)) -> Refusal {
        Refusal(reason: .limit(limit.reason), position: line &+ limit.bytes, line: line)
    }
}

extension Range<Int> {
    fileprivate func shifted(by distance: Int) -> Range<Int> {
        let start = lowerBound &+ distance
        return start..<Swift.max(start, upperBound &+ distance)
    }
}
