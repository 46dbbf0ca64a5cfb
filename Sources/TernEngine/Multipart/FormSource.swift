// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernIO

/// Reads a form, segment by segment, one full chunk at a time.
///
/// Sendable because a source is called by one exchange, never concurrently, and finished after that.
final class FormSource: FileBodySource, @unchecked Sendable {
    /// A file of which less is left is copied into one chunk with the parts around it.
    private static let leastStretch = 64 * 1024

    /// The position in the form.
    private enum Position {
        /// Before the next segment, or at the end. Exits: data, file, source, over.
        case between
        /// Exits: between, over.
        case data(Data, sent: Int)
        /// Exits: between, over.
        case file(FormFile, FileRange.File, offset: Int64)
        /// Exits: between, over.
        case source(any BodySource, left: Int?)
        /// Exit: none.
        case over
    }

    private var segments: ArraySlice<FormSegment>
    private var position = Position.between
    private var piece = FormPiece()
    /// Whether the caller takes file ranges.
    private var givesStretches = false

    init(_ segments: [FormSegment]) { self.segments = segments[...] }

    func next(atMost count: Int, wake: @escaping @Sendable () -> Void) -> BodyPiece {
        piece.begin(atMost: count)
        do throws(MultipartFormError) {
            while piece.room > 0 {
                if givesStretches, isAtStretch, !piece.isEmpty { break }
                if let answer = try step(wake) { return answer }
            }
            return .bytes(piece.take())
        } catch {
            return .failed(error)
        }
    }

    func nextStretch() -> FileRange? {
        givesStretches = true
        guard isAtStretch, case .file(let part, let file, let offset) = position else { return nil }
        position = .file(part, file, offset: part.length)
        return FileRange(
            file: file, range: offset..<part.length,
            whenShort: MultipartFormError.fileChanged(path: part.path, length: part.length))
    }

    private var isAtStretch: Bool {
        guard case .file(let part, _, let offset) = position else { return false }
        return part.length - offset >= Self.leastStretch
    }

    func finish() {
        let last = position
        position = .over
        segments = []
        if case .source(let source, _) = last { source.finish() }
    }

    /// Nil to be called again.
    private func step(_ wake: @escaping @Sendable () -> Void) throws(MultipartFormError) -> BodyPiece? {
        switch position {
        case .between: try begin()
        case .data(let data, let sent): return append(data, sent)
        case .file(let part, let file, let offset): try read(part, file, at: offset)
        case .source(let source, let left):
            // Available bytes go first: the source may have none for long.
            if !piece.isEmpty { return .bytes(piece.take()) }
            return try ask(source, left, wake)
        case .over: return piece.isEmpty ? .end() : .bytes(piece.take())
        }
        return nil
    }

    private func begin() throws(MultipartFormError) {
        switch segments.popFirst() {
        case nil: position = .over
        case .data(let data): position = .data(data, sent: 0)
        case .file(let part):
            position = .file(part, try part.open(), offset: 0)
        case .source(let once, let length):
            guard let source = once.begin() else { throw .streamAlreadyUsed }
            position = .source(source, left: length)
        }
    }

    /// Data that fill a chunk on their own are not copied.
    private func append(_ data: Data, _ sent: Int) -> BodyPiece? {
        let left = data.dropFirst(sent)
        if left.isEmpty {
            position = .between
        } else if piece.isEmpty, left.count >= piece.room {
            position = .data(data, sent: sent + piece.room)
            return .bytes(left.prefix(piece.room))
        } else {
            position = .data(data, sent: sent + piece.append(left))
        }
        return nil
    }

    private func read(
        _ part: FormFile, _ file: FileRange.File, at offset: Int64
    ) throws(MultipartFormError) {
        if offset == part.length {
            if try FormPiece.finds(file.source, part, at: offset) {
                throw .fileChanged(path: part.path, length: part.length)
            }
            position = .between
            return
        }
        let count = try piece.append(file.source, part, at: offset)
        if count == 0 { throw .fileChanged(path: part.path, length: part.length) }
        position = .file(part, file, offset: offset + Int64(count))
    }

    /// As with any source, one that has returned its announced length and has nothing ready then is not called again.
    private func ask(
        _ source: any BodySource, _ left: Int?, _ wake: @escaping @Sendable () -> Void
    ) throws(MultipartFormError) -> BodyPiece? {
        let answer = source.next(atMost: piece.room, wake: wake)
        switch answer {
        case .bytes(let bytes):
            if let left, bytes.count > left { throw .streamTooLong(excess: bytes.count - left) }
            position = .source(source, left: left.map { $0 - bytes.count })
            return bytes.isEmpty ? nil : answer
        case .later where left != 0: return .later
        case .end:
            if let left, left > 0 { throw .streamTooShort(missing: left) }
        case .failed: return answer
        case .later: break
        }
        position = .between
        source.finish()
        return nil
    }
}

/// A chunk of a form that is being filled. Its memory is reused when the consumer of the last one has released it.
struct FormPiece {
    private var memory = Data()
    private var count = 0
    private var limit = 0

    var isEmpty: Bool { count == 0 }

    /// The number of bytes it can still take.
    var room: Int { limit - count }

    mutating func begin(atMost limit: Int) {
        self.limit = max(1, limit)
        count = 0
        if memory.count < self.limit { memory = Data(count: self.limit) }
    }

    /// Adds as much of `data` as there is room for, and returns how much.
    mutating func append(_ data: Data) -> Int {
        let added = min(data.count, room)
        let count = count
        unsafe memory.withUnsafeMutableBytes { memory in
            let room = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[count..<(count + added)])
            unsafe data.prefix(added).copyBytes(to: room)
        }
        self.count += added
        return added
    }

    /// Adds bytes of `part` from `offset` on, as many as there is room for, and returns how many; 0 at the end of the
    /// part.
    mutating func append(
        _ file: borrowing FileSource, _ part: FormFile, at offset: Int64
    ) throws(MultipartFormError) -> Int {
        let wanted = Int(clamping: min(part.length - offset, Int64(room)))
        let count = count
        let read = unsafe memory.withUnsafeMutableBytes { memory in
            unsafe Self.read(file, UnsafeMutableRawBufferPointer(rebasing: memory[count..<(count + wanted)]), offset)
        }
        let added = try Self.count(read, part)
        self.count += added
        return added
    }

    /// Whether `part` has a byte at `offset`.
    static func finds(
        _ file: borrowing FileSource, _ part: FormFile, at offset: Int64
    ) throws(MultipartFormError) -> Bool {
        var byte: UInt8 = 0
        let read = unsafe withUnsafeMutableBytes(of: &byte) { unsafe Self.read(file, $0, offset) }
        return try count(read, part) > 0
    }

    /// The added bytes. They do not change while they are referenced, whatever is added later.
    func take() -> Data { memory.prefix(count) }

    private static func count(
        _ result: Result<IOResult, SystemCallError>, _ part: FormFile
    ) throws(MultipartFormError) -> Int {
        switch result {
        case .success(.bytes(let count)): return count
        case .success(.wouldBlock), .success(.endOfStream): return 0
        case .failure(let error): throw .unreadable(path: part.path, error)
        }
    }

    private static func read(
        _ file: borrowing FileSource, _ room: UnsafeMutableRawBufferPointer, _ offset: Int64
    ) -> Result<IOResult, SystemCallError> {
        do throws(SystemCallError) {
            return .success(try unsafe file.read(into: room, at: offset))
        } catch {
            return .failure(error)
        }
    }
}
