// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The streams that a program may hand over although they cannot be read.
enum UnreadableStream: CaseIterable, Sendable {
    case closed, closedFile, used, gone, folder, noFile, noPath
    case failing, failingWithStatus, smallest, overlong

    func make() throws -> sending InputStream {
        let folder = FileManager.default.temporaryDirectory
        let stream =
            switch self {
            case .closed, .used: InputStream(data: Data("abc".utf8))
            case .closedFile: InputStream(fileAtPath: "/proc/self/status")
            case .gone: InputStream(url: folder.appending(path: "tern-\(UUID().uuidString)"))
            case .folder: InputStream(url: folder)
            case .noFile: InputStream(url: URL(string: "http://127.0.0.1/") ?? folder)
            case .noPath: InputStream(fileAtPath: "")
            case .failing: Failing(-1)
            case .failingWithStatus: Failing(-1, status: .error, error: StreamFailure())
            case .smallest: Failing(.min)
            case .overlong: Failing(.max)
            }
        guard let stream else { throw CocoaError(.fileNoSuchFile) }
        if [.closed, .closedFile, .used].contains(self) {
            stream.open()
            var bytes = [UInt8](repeating: 0, count: 8)
            if self == .used { while unsafe stream.read(&bytes, maxLength: 8) > 0 {} }
            stream.close()
        }
        // Nothing else has it.
        nonisolated(unsafe) let result = stream
        return unsafe result
    }

    /// A class of a program's own, which overrides what it must.
    private class Failing: InputStream {
        private let result: Int
        private let status: Stream.Status?
        private let error: StreamFailure?

        init(_ result: Int, status: Stream.Status? = nil, error: StreamFailure? = nil) {
            (self.result, self.status, self.error) = (result, status, error)
            super.init(data: Data())
        }

        override var streamStatus: Stream.Status { status ?? super.streamStatus }
        override var streamError: (any Error)? { error ?? super.streamError }

        override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int { result }
    }
}

/// A stream with three bytes that says of itself what is not so.
final class ReadableStream: InputStream {
    enum Word: CaseIterable, Sendable { case empty, opening, open, reading, writing, atEnd, closed, error }

    private let word: Word
    private var content: [UInt8] = [1, 2, 3]

    init(_ word: Word) {
        self.word = word
        super.init(data: Data())
    }

    override var hasBytesAvailable: Bool { word != .empty }

    override var streamStatus: Stream.Status {
        switch word {
        case .empty: .notOpen
        case .opening: .opening
        case .open: .open
        case .reading: .reading
        case .writing: .writing
        case .atEnd: .atEnd
        case .closed: .closed
        case .error: .error
        }
    }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
        let count = min(content.count, len)
        for index in 0..<count { unsafe buffer[index] = content[index] }
        content.removeFirst(count)
        return count
    }
}
