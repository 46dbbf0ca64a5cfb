// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// A decoded section in one allocation: one ``FieldPosition`` per field, followed by the bytes as received; of a head,
/// also what its first line and framing say, so that a head is one reference.
///
/// Strings are made on demand. Folded values have been unfolded when the block was made.
///
/// Only this file knows the layout, and three rules keep it sound. Only the functions that make a block write the
/// memory, before the block is shared; afterwards it is only read, so threads may share it. The annex alone is written
/// later, once and atomically, and the block retains it until the end. And both parts lie within the allocation, as
/// `storage` computes its capacity, and are fully initialised: every span made of them is one of these parts, and ends
/// with the borrow of the storage.
@safe
struct FieldBlock: @unchecked Sendable {
    private struct Header {
        /// An object, retained, as bits; 0 for none. The first field, so its address is that of the header.
        var annex: UInt = 0
        var fields: UInt32
        var bytes: UInt32
        var statusLine: StatusLine
        /// -1 without one.
        var contentLength: Int
    }

    private final class Storage: ManagedBuffer<Header, FieldPosition> {
        deinit {
            let bits = unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee.annex }
            guard let annex = unsafe UnsafeRawPointer(bitPattern: bits) else { return }
            unsafe Unmanaged<AnyObject>.fromOpaque(annex).release()
        }
    }

    private let storage: Storage

    static let empty = FieldBlock(copying: Span(), positions: Span(), hasFolds: false)

    /// - Parameters:
    ///   - positions: the positions of the fields in `bytes`. Both are copied, up to 2³² bytes, far beyond the maximum of
    ///     ``ParsingLimits``.
    ///   - statusLine: of a head.
    ///   - contentLength: of a head that has a valid one.
    @inline(__always)
    init(
        copying bytes: Span<UInt8>, positions: Span<FieldPosition>, hasFolds: Bool,
        statusLine: StatusLine = StatusLine(), contentLength: Int? = nil
    ) {
        let header = Header(
            fields: UInt32(truncatingIfNeeded: positions.count), bytes: UInt32(truncatingIfNeeded: bytes.count),
            statusLine: statusLine, contentLength: contentLength ?? -1)
        let storage = Self.storage(header)
        self.storage = storage
        unsafe storage.withUnsafeMutablePointerToElements { table in
            let text = unsafe UnsafeMutableRawPointer(table + Int(header.fields))
            unsafe Self.copy(bytes, Int(header.bytes), to: text)
            // Last, because the processor may still be busy writing the positions.
            unsafe Self.copy(
                positions, Int(header.fields) &* FieldPosition.size, to: UnsafeMutableRawPointer(table))
            if hasFolds {
                var text = unsafe UnsafeMutableBufferPointer(
                    start: text.assumingMemoryBound(to: UInt8.self), count: Int(header.bytes)
                ).mutableSpan
                Self.unfold(&text, positions)
            }
        }
    }

    private init(_ storage: Storage) { self.storage = storage }

    /// Room for as many fields and bytes as the header says.
    @inline(__always)
    private static func storage(_ header: Header) -> Storage {
        let capacity = Int(header.fields) &+ (Int(header.bytes) &+ FieldPosition.size &- 1) / FieldPosition.size
        // `create` makes an instance of the class that it is called on.
        return unsafe unsafeDowncast(Storage.create(minimumCapacity: capacity) { _ in header }, to: Storage.self)
    }

    @inline(__always)
    private static func copy<Element: BitwiseCopyable>(
        _ source: Span<Element>, _ byteCount: Int, to place: UnsafeMutableRawPointer
    ) {
        unsafe source.withUnsafeBytes { source in
            guard let start = source.baseAddress else { return }
            unsafe place.copyMemory(from: start, byteCount: byteCount)
        }
    }

    var count: Int {
        read { _, positions in positions.count }
    }

    var statusLine: StatusLine { unsafe storage.withUnsafeMutablePointerToHeader { unsafe $0.pointee.statusLine } }

    var contentLength: Int? {
        let length = unsafe storage.withUnsafeMutablePointerToHeader { unsafe $0.pointee.contentLength }
        return length < 0 ? nil : length
    }

    /// A block with the same content and without an annex.
    var copy: FieldBlock {
        read { bytes, positions in
            FieldBlock(
                copying: bytes, positions: positions, hasFolds: false, statusLine: statusLine,
                contentLength: contentLength)
        }
    }

    /// A block with one more field, and without an annex. Without the field if the section would be too long.
    func appending(_ name: Span<UInt8>, _ value: Span<UInt8>) -> FieldBlock {
        read { bytes, positions in
            let valueStart = bytes.count &+ name.count
            guard let fields = UInt32(exactly: positions.count &+ 1),
                let end = UInt32(exactly: valueStart &+ value.count)
            else { return copy }
            let storage = Self.storage(
                Header(fields: fields, bytes: end, statusLine: statusLine, contentLength: contentLength ?? -1))
            unsafe storage.withUnsafeMutablePointerToElements { table in
                let last = unsafe table + positions.count
                unsafe last.initialize(
                    to: FieldPosition(name: (bytes.count, valueStart), value: (valueStart, Int(end))))
                let text = unsafe UnsafeMutableRawPointer(last + 1)
                unsafe Self.copy(bytes, bytes.count, to: text)
                unsafe Self.copy(name, name.count, to: text + bytes.count)
                unsafe Self.copy(value, value.count, to: text + valueStart)
                unsafe Self.copy(
                    positions, positions.count &* FieldPosition.size, to: UnsafeMutableRawPointer(table))
            }
            return FieldBlock(storage)
        }
    }

    /// The object that was attached first.
    var annex: AnyObject? {
        withAtomicAnnex { annex in
            // Retained until the end of the block, which `self` keeps.
            unsafe UnsafeRawPointer(bitPattern: annex.load(ordering: .acquiring)).map {
                unsafe Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue()
            }
        }
    }

    /// Whether an object is attached.
    var isAttached: Bool { withAtomicAnnex { $0.load(ordering: .relaxed) } != 0 }

    /// Attaches an object to the block, for all copies of it. False if there is one already.
    func attach(_ annex: AnyObject) -> Bool {
        let retained = unsafe Unmanaged.passRetained(annex)
        let bits = unsafe UInt(bitPattern: retained.toOpaque())
        let isFirst = withAtomicAnnex {
            $0.compareExchange(expected: 0, desired: bits, ordering: .acquiringAndReleasing).exchanged
        }
        if !isFirst { unsafe retained.release() }
        return isFirst
    }

    /// The field begins the header, which lives as long as the storage, and all accesses to it after `init` come through
    /// here; an atomic value has the layout of its representation.
    private func withAtomicAnnex<Result>(_ body: (borrowing Atomic<UInt>) -> Result) -> Result {
        unsafe storage.withUnsafeMutablePointerToHeader { header in
            unsafe body(UnsafeMutableRawPointer(header).assumingMemoryBound(to: Atomic<UInt>.self).pointee)
        }
    }

    /// Lends the bytes of the section and the positions of its fields.
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
        read { bytes, _ in Self.value(bytes, range).text }
    }

    func bytes(_ range: Range<Int>) -> [UInt8] {
        var copy: [UInt8] = []
        append(range, to: &copy)
        return copy
    }

    func append(_ range: Range<Int>, to copy: inout [UInt8]) {
        read { bytes, _ in copy.append(copying: bytes, range.clamped(to: bytes.indices)) }
    }

    /// A part of the section, which may be a name or a reason phrase, too.
    private static func value(_ section: Span<UInt8>, _ range: Range<Int>) -> FieldValue {
        FieldValue(section.extracting(range.clamped(to: section.indices)))
    }

    /// Returns the position of the first field called `name` at or after `start`, which is not negative.
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

    /// Calls `body` with each element of the list in all fields called `name`; false if it is longer than the rules allow.
    func readList(_ name: String, _ rules: ListRules, _ body: (Span<UInt8>) -> Void) -> Bool {
        let wanted = name.utf8.span
        return read { bytes, positions in
            var reader = ListReader(rules)
            for index in positions.indices {
                let name = positions[index].name
                guard name.count == wanted.count, bytes.extracting(name).isEqualIgnoringCase(to: wanted) else {
                    continue
                }
                reader.begin(positions[index].value)
                while let element = reader.next(in: bytes) { body(bytes.extracting(element)) }
            }
            return !reader.isTooLong
        }
    }

    /// The positions of the values of all fields called `name`, in order.
    func valueRanges(for name: String) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var start = 0
        while let index = firstIndex(of: name, from: start), let position = position(at: index) {
            ranges.append(position.value)
            start = index &+ 1
        }
        return ranges
    }

    var fields: HeaderFields {
        read { bytes, positions in
            var fields = HeaderFields()
            fields.reserveCapacity(positions.count)
            for index in positions.indices {
                let position = positions[index]
                fields.append(
                    HeaderField(
                        name: Self.value(bytes, position.name).text, content: Self.value(bytes, position.value)))
            }
            return fields
        }
    }

    /// Replaces every line end within a value, and the whitespace that begins the next line, by spaces, as RFC 9112
    /// §5.2 requires of a user agent. The value keeps its length, so every position stays valid.
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

/// The position of one field in its section: four words of 32 bits, because ``SectionDecoder`` admits no longer
/// section.
struct FieldPosition: BitwiseCopyable {
    private var nameStart: UInt32
    private var nameEnd: UInt32
    private var valueStart: UInt32
    private var valueEnd: UInt32

    static let size = 16

    /// Creates a position from the bounds of name and value.
    @inline(__always)
    init(name: (Int, Int), value: (Int, Int)) {
        nameStart = UInt32(truncatingIfNeeded: name.0)
        nameEnd = UInt32(truncatingIfNeeded: name.1)
        valueStart = UInt32(truncatingIfNeeded: value.0)
        valueEnd = UInt32(truncatingIfNeeded: value.1)
    }

    @inline(__always)
    var nameLength: UInt32 { nameEnd &- nameStart }

    var name: Range<Int> { Self.range(nameStart, nameEnd) }

    var value: Range<Int> { Self.range(valueStart, valueEnd) }

    @inline(__always)
    private static func range(_ start: UInt32, _ end: UInt32) -> Range<Int> {
        let start = Int(start)
        return start..<max(start, Int(end))
    }
}
