// SPDX-License-Identifier: Apache-2.0

/// A decoded section in one allocation: one ``FieldPosition`` per field, and after them the bytes as they arrived.
///
/// A string is made when it is asked for. Folded values were unfolded when the block was made.
///
/// The layout is known in this file alone, which keeps it sound by two rules. `init` alone writes the memory, before
/// the block is shared, and it is read from then on: so threads may share it. And both parts lie within what was
/// allocated for them, as `Size` says, and are initialised whole: every span made of them is one of these parts, and
/// ends with the borrow of the storage.
@safe
struct FieldBlock: @unchecked Sendable {
    private struct Size {
        var fields: UInt32
        var bytes: UInt32
    }

    private typealias Storage = ManagedBuffer<Size, FieldPosition>

    private let storage: Storage

    static let empty = FieldBlock(copying: Span(), positions: Span(), hasFolds: false)

    /// - Parameter positions: where the fields lie in `bytes`. Both are copied, up to 2³² bytes, which is far beyond
    ///   what ``ParsingLimits`` can be set to.
    @inline(__always)
    init(copying bytes: Span<UInt8>, positions: Span<FieldPosition>, hasFolds: Bool) {
        let size = Size(
            fields: UInt32(truncatingIfNeeded: positions.count), bytes: UInt32(truncatingIfNeeded: bytes.count))
        let capacity = Int(size.fields) &+ (Int(size.bytes) &+ FieldPosition.size &- 1) / FieldPosition.size
        let storage = Storage.create(minimumCapacity: capacity) { _ in size }
        self.storage = storage
        unsafe storage.withUnsafeMutablePointerToElements { table in
            let text = unsafe UnsafeMutableRawPointer(table + Int(size.fields))
            unsafe bytes.withUnsafeBytes { source in
                guard let start = source.baseAddress else { return }
                unsafe text.copyMemory(from: start, byteCount: Int(size.bytes))
            }
            // Last, for the processor may still be busy writing the positions.
            unsafe positions.withUnsafeBytes { source in
                guard let start = source.baseAddress else { return }
                unsafe UnsafeMutableRawPointer(table).copyMemory(
                    from: start, byteCount: Int(size.fields) &* FieldPosition.size)
            }
            if hasFolds {
                var text = unsafe UnsafeMutableBufferPointer(
                    start: text.assumingMemoryBound(to: UInt8.self), count: Int(size.bytes)
                ).mutableSpan
                Self.unfold(&text, positions)
            }
        }
    }

    var count: Int {
        read { _, positions in positions.count }
    }

    /// Lends the bytes of the section and where its fields lie in them.
    @inline(__always)
    func read<Result, Failure: Error>(
        _ body: (Span<UInt8>, Span<FieldPosition>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe storage.withUnsafeMutablePointers { (size, table) throws(Failure) -> Result in
            let text = unsafe UnsafeRawPointer(table + Int(size.pointee.fields)).assumingMemoryBound(to: UInt8.self)
            let bytes = unsafe UnsafeBufferPointer(start: text, count: Int(size.pointee.bytes))
            let positions = unsafe UnsafeBufferPointer(start: table, count: Int(size.pointee.fields))
            return try unsafe body(bytes.span, positions.span)
        }
    }

    func position(at index: Int) -> FieldPosition? {
        read { _, positions in positions.indices.contains(index) ? positions[index] : nil }
    }

    func string(_ range: Range<Int>) -> String {
        read { bytes, _ in Self.string(bytes, range) }
    }

    /// The text of a part of the section. UTF-8 where it is that, else ISO-8859-1, which RFC 9110 §5.5 names as the
    /// historical charset: either way no byte is lost.
    private static func string(_ section: Span<UInt8>, _ range: Range<Int>) -> String {
        let bytes = section.extracting(range.clamped(to: section.indices))
        if let text = try? UTF8Span(validating: bytes) { return String(copying: text) }
        var text = ""
        for index in bytes.indices { text.unicodeScalars.append(UnicodeScalar(bytes[index])) }
        return text
    }

    /// The first field called `name` at or behind `start`, which is not negative.
    func firstIndex(of name: String, from start: Int = 0) -> Int? {
        let wanted = name.utf8.span
        return read { bytes, positions in
            var index = start
            while index < positions.count {
                let name = positions[index].name
                if name.count == wanted.count, bytes.extracting(name).isEqualIgnoringCase(to: wanted) { return index }
                index &+= 1
            }
            return nil
        }
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

    var fields: HeaderFields {
        read { bytes, positions in
            var fields = HeaderFields()
            fields.reserveCapacity(positions.count)
            for index in positions.indices {
                let position = positions[index]
                fields.append(Self.string(bytes, position.name), Self.string(bytes, position.value))
            }
            return fields
        }
    }

    /// Replaces every line end within a value, and the blanks that begin the next line, by spaces: RFC 9112 §5.2
    /// requires it of a user agent. The value keeps its length, so every position stays right.
    private static func unfold(_ bytes: inout MutableSpan<UInt8>, _ positions: Span<FieldPosition>) {
        for index in positions.indices {
            let position = positions[index]
            var isFold = false
            for index in position.value.clamped(to: bytes.indices) {
                let byte = bytes[index]
                if byte == .carriageReturn || byte == .lineFeed {
                    isFold = true
                } else if !byte.isBlank {
                    isFold = false
                }
                if isFold { bytes[index] = .space }
            }
        }
    }
}
