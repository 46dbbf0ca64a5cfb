// SPDX-License-Identifier: Apache-2.0

/// A decoded section in one buffer: its bytes as they came, and behind them one ``FieldPosition`` per field.
///
/// Nothing becomes a string until somebody asks. Folded values were unfolded when the block was made.
struct FieldBlock: Sendable {
    private let fieldCount: UInt32
    private let buffer: [UInt8]

    var count: Int { Int(fieldCount) }

    static let empty = FieldBlock(count: 0, buffer: [])

    private init(count: Int, buffer: [UInt8]) {
        fieldCount = UInt32(truncatingIfNeeded: count)
        self.buffer = buffer
    }

    /// - Parameter range: the section in `bytes`, which the positions count from.
    init(copying bytes: Span<UInt8>, _ range: Range<Int>, positions: Span<FieldPosition>, hasFolds: Bool) {
        var buffer: [UInt8] = []
        buffer.append(addingCapacity: range.count &+ positions.count &* FieldPosition.size) { output in
            output.append(copying: bytes.extracting(range))
            output.append(copying: positions)
        }
        if hasFolds { Self.unfold(&buffer, positions) }
        self.init(count: positions.count, buffer: buffer)
    }

    /// The bytes of the section, followed by the table.
    var bytes: [UInt8] { buffer }

    func position(at index: Int) -> FieldPosition? {
        guard index >= 0, index < count else { return nil }
        return FieldPosition(reading: buffer, at: buffer.count &- (count &- index) &* FieldPosition.size)
    }

    /// The text of a part of the section. UTF-8 where it is that, else ISO-8859-1, which RFC 9110 §5.5 names as the
    /// historical charset: either way no byte is lost.
    func string(_ range: Range<Int>) -> String {
        let bytes = buffer.span.extracting(range.clamped(to: 0..<buffer.count))
        if let text = try? UTF8Span(validating: bytes) { return String(copying: text) }
        var text = ""
        for index in bytes.indices { text.unicodeScalars.append(UnicodeScalar(bytes[index])) }
        return text
    }

    /// The first field called `name` at or behind `start`.
    func firstIndex(of name: String, from start: Int = 0) -> Int? {
        let wanted = name.utf8.span
        var index = start
        while let position = position(at: index) {
            if position.name.count == wanted.count,
                buffer.span.extracting(position.name).isEqualIgnoringCase(to: wanted)
            {
                return index
            }
            index &+= 1
        }
        return nil
    }

    func values(for name: String) -> [String] {
        var values: [String] = []
        var start = 0
        while let index = firstIndex(of: name, from: start), let position = position(at: index) {
            values.append(string(position.value))
            start = index &+ 1
        }
        return values
    }

    var fields: HTTPFields {
        var fields = HTTPFields()
        fields.reserveCapacity(count)
        var index = 0
        while let position = position(at: index) {
            fields.append(string(position.name), string(position.value))
            index &+= 1
        }
        return fields
    }

    /// Replaces every line end within a value, and the blanks that begin the next line, by spaces: RFC 9112 §5.2
    /// requires it of a user agent. The value keeps its length, so every position stays right.
    private static func unfold(_ buffer: inout [UInt8], _ positions: Span<FieldPosition>) {
        for index in positions.indices {
            let position = positions[index]
            var isFold = false
            for index in position.value.clamped(to: 0..<buffer.count) {
                let byte = buffer[index]
                if byte == .carriageReturn || byte == .lineFeed {
                    isFold = true
                } else if !byte.isBlank {
                    isFold = false
                }
                if isFold { buffer[index] = .space }
            }
        }
    }
}
