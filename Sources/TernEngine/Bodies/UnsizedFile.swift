// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernIO
import TernLock

/// A file that reports a length of zero and has content, such as those of /proc: it is generated when read (proc(5)).
final class UnsizedFile: BodySource {
    private let file: FileRange.File
    private let offset = Lock<Int64>(0)

    /// Nil for a file that is really empty, or that has a size.
    init?(_ file: FileRange.File) throws(SystemCallError) {
        guard file.source.size <= 0 else { return nil }
        var byte = UInt8(0)
        let result = try unsafe withUnsafeMutableBytes(of: &byte) { room in
            Result { () throws(SystemCallError) in try unsafe file.source.read(into: room, at: 0) }
        }.get()
        guard case .bytes = result else { return nil }
        self.file = file
    }

    func next(atMost count: Int, wake: @escaping @Sendable () -> Void) -> BodyPiece {
        let position = offset.withLock(\.self)
        var result: Result<IOResult, SystemCallError> = .success(.endOfStream)
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { room, filled in
            result = Result { () throws(SystemCallError) in
                try unsafe file.source.read(into: UnsafeMutableRawBufferPointer(room), at: position)
            }
            if case .success(.bytes(let read)) = result { filled = read }
        }
        switch result {
        case .success(.bytes(let read)):
            offset.withLock { $0 += Int64(read) }
            return .bytes(Data(bytes))
        case .success(.wouldBlock), .success(.endOfStream): return .end()
        case .failure(let error): return .failed(RequestBodyError.unreadable(error, path: file.path))
        }
    }

    func finish() {}
}
