// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernIO

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
