// SPDX-License-Identifier: Apache-2.0
import TernIO

extension FileRange {
    /// The number of bytes that the kernel sends at once, so that a disk does not block the reactor for long.
    private static let sentAtOnce = 256 * 1024

    /// Lets the kernel send the beginning, where no bytes need to be sealed; 0 if it takes no more.
    func send(over transport: some ByteSink) throws(SendingError) -> Int {
        let count = Int(clamping: min(Int64(range.count), Int64(Self.sentAtOnce)))
        let result: IOResult
        do throws(SystemCallError) {
            result = try transport.send(file.source, at: range.lowerBound, count: count)
        } catch {
            throw .transport(.system(error))
        }
        switch result {
        case .bytes(let count): return count
        case .wouldBlock: return 0
        case .endOfStream: throw .content(shortness)
        }
    }

    /// The beginning, at most `count` bytes.
    func read(atMost count: Int) throws(SendingError) -> [UInt8] {
        let wanted = Int(clamping: min(Int64(range.count), Int64(count)))
        var result: Result<IOResult, SystemCallError> = .success(.endOfStream)
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: wanted) { room, count in
            result = Result { () throws(SystemCallError) in
                try unsafe file.source.read(into: UnsafeMutableRawBufferPointer(room), at: range.lowerBound)
            }
            if case .success(.bytes(let read)) = result { count = read }
        }
        switch result {
        case .success(.bytes): return bytes
        // A file either has bytes there or has not.
        case .success(.wouldBlock), .success(.endOfStream): throw .content(shortness)
        case .failure(let error): throw .content(.unreadable(error, path: file.path))
        }
    }

    private var shortness: RequestBodyError {
        whenShort.map { .failed($0) } ?? .tooShort(missing: Int(clamping: range.count))
    }
}
