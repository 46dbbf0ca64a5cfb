// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import TernIO

@Suite struct OutputFileTests {
    /// A path that is free, in a folder of a test's own.
    private final class Place {
        let folder = "/tmp/tern-output-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        init() { unsafe mkdir(folder, 0o700) }
        deinit {
            for name in ["a", "b"] { unsafe unlink(folder + "/" + name) }
            unsafe rmdir(folder)
        }
        var a: String { folder + "/a" }
        var b: String { folder + "/b" }
    }

    private func write(_ bytes: [UInt8], to file: OutputFile, at offset: Int64 = 0) throws {
        try unsafe bytes.withUnsafeBytes { try unsafe file.write($0, at: offset) }
    }

    private func content(_ file: OutputFile) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = try unsafe bytes.withUnsafeMutableBytes { try unsafe file.read(into: $0, at: 0) }
        return Array(bytes.prefix(count))
    }

    @Test func `what is written is read`() throws {
        let place = Place()
        let file = try OutputFile.create(place.a, permissions: 0o600)
        try write([1, 2, 3], to: file)
        try write([4], to: file, at: 2)
        #expect(try content(file) == [1, 2, 4])
        try file.truncate(to: 1)
        #expect(try file.length == 1)
        try file.settle()
        #expect(throws: SystemError(.open, code: EEXIST)) { try OutputFile.create(place.a, permissions: 0o600) }
    }

    @Test func `one has it, and the next when that is gone`() throws {
        let place = Place()
        var file: OutputFile? = try OutputFile.create(place.a, permissions: 0o600)
        #expect(try file?.claim() == true)
        let other = try #require(try OutputFile.openOwn(place.a))
        #expect(try !other.claim())
        file = nil
        #expect(try other.claim())
    }

    @Test func `a draft has its name when it takes one, and goes without`() throws {
        let place = Place()
        var draft: OutputFile? = try OutputFile.createDraft(place.a, permissions: 0o600)
        try write([1, 2], to: #require(draft))
        #expect(FileStatus(of: place.b) == nil)
        try draft?.take(place.b)
        #expect(try OutputFile.openOwn(place.b).map(content) == [1, 2])
        #expect(FileStatus(of: place.a) == nil)
        draft = try OutputFile.createDraft(place.a, permissions: 0o640)
        try write([3], to: #require(draft))
        #expect(throws: SystemError(.link, code: EEXIST)) { try draft?.take(place.b) }
        try draft?.replace(place.b)
        #expect(try OutputFile.openOwn(place.b).map(content) == [3])
        #expect(FileStatus(of: place.b)?.permissions == 0o640)
        draft = try OutputFile.createDraft(place.a, permissions: 0o600)
        draft?.remove()
        draft = nil
        #expect(FileStatus(of: place.a) == nil)
    }

    @Test func `a draft that cannot be made says why`() {
        let place = Place()
        #expect(throws: SystemError(.open, code: ENOENT)) {
            try OutputFile.createDraft(place.folder + "/none/a", permissions: 0o600)
        }
        #expect(throws: SystemError(.open, code: EINVAL)) {
            try OutputFile.createDraft(place.a + "\0", permissions: 0o600)
        }
    }

    @Test func `who has lost the name has nothing`() throws {
        let place = Place()
        let file = try OutputFile.create(place.a, permissions: 0o600)
        let other = try OutputFile.create(place.b, permissions: 0o600)
        try other.replace(place.a)
        #expect(try !file.claim())
        file.remove()
        #expect(FileStatus(of: place.a)?.kind == .regular)
    }

    @Test func `a name is taken if it is free`() throws {
        let place = Place()
        let file = try OutputFile.create(place.a, permissions: 0o600)
        try file.take(place.b)
        #expect(FileStatus(of: place.a) == nil)
        let other = try OutputFile.create(place.a, permissions: 0o600)
        #expect(throws: SystemError(.link, code: EEXIST)) { try other.take(place.b) }
        other.remove()
        #expect(FileStatus(of: place.a) == nil)
    }

    @Test func `a NUL does not end a path`() {
        #expect(throws: SystemError(.open, code: EINVAL)) { try OutputFile.create("/tmp/a\u{0}b", permissions: 0o600) }
    }
}
