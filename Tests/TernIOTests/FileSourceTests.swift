// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import TernIO

@Suite(.timeLimit(.minutes(1))) struct FileSourceTests {
    @Test func `a file has its size and returns the requested range`() throws {
        let file = try TemporaryFile(Array("hello world".utf8))
        let source = try FileSource(path: file.path)
        #expect(source.size == 11)
        let isRegularFile = source.isRegularFile
        #expect(isRegularFile)
        #expect(try source.text(at: 6, limit: 3) == .init(.bytes(3), "wor"))
        #expect(try source.text(at: 6, limit: 100) == .init(.bytes(5), "world"))
        #expect(try source.text(at: 0, limit: 5) == .init(.bytes(5), "hello"))
    }

    @Test func `behind the end lies nothing`() throws {
        let file = try TemporaryFile(Array("hello".utf8))
        let source = try FileSource(path: file.path)
        #expect(try source.text(at: 5, limit: 10) == .init(.endOfStream, ""))
        #expect(try source.text(at: 1 << 40, limit: 10) == .init(.endOfStream, ""))
    }

    @Test func `room for nothing is not the end`() throws {
        let file = try TemporaryFile(Array("hello".utf8))
        #expect(try FileSource(path: file.path).text(at: 0, limit: 0) == .init(.wouldBlock, ""))
    }

    @Test func `a file that has become shorter ends earlier, every time it is asked`() throws {
        let file = try TemporaryFile(Array("hello world".utf8))
        let source = try FileSource(path: file.path)
        file.truncate(to: 8)
        #expect(source.size == 11)
        #expect(try source.text(at: 6, limit: 5) == .init(.bytes(2), "wo"))
        #expect(try source.text(at: 8, limit: 3) == .init(.endOfStream, ""))
        #expect(try source.text(at: 8, limit: 3) == .init(.endOfStream, ""))
    }

    @Test func `an empty file is a file`() throws {
        let file = try TemporaryFile()
        let source = try FileSource(path: file.path)
        #expect(source.size == 0)
        let isRegularFile = source.isRegularFile
        #expect(isRegularFile)
        #expect(try source.text(at: 0, limit: 1) == .init(.endOfStream, ""))
    }

    @Test func `a directory is no regular file, and reading it says so`() throws {
        let source = try FileSource(path: "/tmp")
        let isRegularFile = source.isRegularFile
        #expect(!isRegularFile)
        #expect(throws: SystemCallError(.pread, code: EISDIR)) {
            _ = try FileSource(path: "/tmp").text(at: 0, limit: 1)
        }
    }

    @Test func `a pipe without a writer does not block, and has no offsets`() throws {
        let path = try TemporaryFile().path
        try #require(unsafe mkfifo(path, 0o600) == 0)
        defer { _ = unsafe unlink(path) }
        let source = try FileSource(path: path)
        let isRegularFile = source.isRegularFile
        #expect(!isRegularFile)
        #expect(throws: SystemCallError(.pread, code: ESPIPE)) { _ = try FileSource(path: path).text(at: 0, limit: 1) }
    }

    @Test(arguments: [-1, .min, .max])
    func `an offset that no file has is an error`(offset: Int64) throws {
        let file = try TemporaryFile(Array("hello".utf8))
        #expect(throws: SystemCallError(.pread, code: EINVAL)) {
            _ = try FileSource(path: file.path).text(at: offset, limit: 1)
        }
    }

    @Test func `what cannot be opened says why`() throws {
        let file = try TemporaryFile()
        for (path, code) in [
            ("", ENOENT), ("/tmp/tern-nothing-lies-here", ENOENT), (file.path + "/x", ENOTDIR),
            (file.path + "\0.txt", EINVAL), (String(repeating: "x", count: 5000), ENAMETOOLONG),
        ] {
            #expect(throws: SystemCallError(.open, code: code)) { _ = try FileSource(path: path) }
        }
    }

    @Test func `it is not inherited, and closes with its value`() throws {
        let file = try TemporaryFile()
        let raw = try rawValueOfDropped(file.path)
        #expect(Census.identity(of: raw) != file.path)
    }

    private func rawValueOfDropped(_ path: String) throws -> Int32 {
        let source = try FileSource(path: path)
        let raw = source.descriptor.rawValue
        #expect(Census.identity(of: raw) == path)
        #expect(Glibc.fcntl(raw, F_GETFD) & FD_CLOEXEC != 0)
        return raw
    }
}

private struct Piece: Equatable {
    let result: IOResult
    let text: String

    init(_ result: IOResult, _ text: String) {
        self.result = result
        self.text = text
    }
}

extension FileSource {
    fileprivate borrowing func text(at offset: Int64, limit: Int) throws -> Piece {
        var bytes = [UInt8](repeating: 0, count: limit)
        let result = try unsafe bytes.withUnsafeMutableBytes { try unsafe read(into: $0, at: offset) }
        guard case .bytes(let count) = result else { return Piece(result, "") }
        return Piece(result, String(decoding: bytes.prefix(count), as: UTF8.self))
    }
}
