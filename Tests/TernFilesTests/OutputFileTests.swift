// SPDX-License-Identifier: Apache-2.0
import Glibc
import Synchronization
import Testing

@testable import TernFiles

@Suite struct OutputFileTests {
    private static let held = Atomic<Int>(0)
    private let folder = TestFolder()
    private var a: String { folder["a"] }
    private var b: String { folder["b"] }

    @Test func `bytes that were written are read at their offsets`() throws {
        let file = try OutputFile.create(a, permissions: 0o600)
        try file.write("123", at: 0)
        try file.write("4", at: 2)
        #expect(try file.text() == "124")
        try file.truncate(to: 1)
        #expect(try file.length == 1)
        try file.checkDeferredErrors()
        #expect(throws: SystemCallError(.open, code: EEXIST)) { try OutputFile.create(a, permissions: 0o600) }
    }

    @Test func `a locked file is locked until its object ends`() throws {
        var file: OutputFile? = try OutputFile.create(a, permissions: 0o600)
        #expect(try file?.lock() == true)
        let other = try #require(try OutputFile.openOwned(a))
        #expect(try !other.lock())
        file = nil
        #expect(try other.lock())
    }

    @Test func `a file that is unlocked can be locked by another object`() throws {
        let file = try OutputFile.create(a, permissions: 0o600)
        #expect(try file.lock())
        file.unlock()
        #expect(try OutputFile.openOwned(a)?.lock() == true)
    }

    @Test func `a link, a folder and a file with two names are not opened as one's own`() throws {
        try folder.write("text", to: "a")
        unsafe symlink(a, b)
        #expect(throws: SystemCallError(.open, code: ELOOP)) { try OutputFile.openOwned(b) }
        unsafe unlink(b)
        unsafe link(a, b)
        #expect(try OutputFile.openOwned(a) == nil)
        #expect(throws: SystemCallError(.open, code: EISDIR)) { try OutputFile.openOwned(folder.path) }
    }

    @Test func `a temporary file gets a name when it replaces or moves, and disappears otherwise`() throws {
        var file: OutputFile? = try OutputFile.createTemporary(a, permissions: 0o600)
        try file?.write("12", at: 0)
        #expect(FileStatus(of: b) == nil)
        try file?.moveIfAbsent(to: b)
        #expect(try folder.text(of: "b") == "12")
        #expect(FileStatus(of: a) == nil)
        file = try OutputFile.createTemporary(a, permissions: 0o640)
        try file?.write("3", at: 0)
        #expect(throws: SystemCallError(.link, code: EEXIST)) { try file?.moveIfAbsent(to: b) }
        try file?.replace(b)
        #expect(try folder.text(of: "b") == "3")
        #expect(FileStatus(of: b)?.permissions == 0o640)
        file = try OutputFile.createTemporary(a, permissions: 0o600)
        file?.remove()
        file = nil
        #expect(FileStatus(of: a) == nil)
    }

    @Test func `the error of a temporary file names the system call`() {
        #expect(throws: SystemCallError(.open, code: ENOENT)) {
            try OutputFile.createTemporary(folder["none/a"], permissions: 0o600)
        }
        #expect(throws: SystemCallError(.open, code: EINVAL)) {
            try OutputFile.createTemporary(a + "\0", permissions: 0o600)
        }
    }

    /// A waiter has opened the file that its holder removes.
    @Test func `a lock file that its holder removes keeps all but one out, and is gone in the end`() async throws {
        let path = folder["lock"]
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<50 {
                        let lock = try #require(try OutputFile.locked(path, within: .seconds(30)))
                        #expect(Self.held.add(1, ordering: .relaxed).newValue == 1)
                        Self.held.subtract(1, ordering: .relaxed)
                        lock.remove()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(folder.names == [])
    }

    @Test func `a file that has lost its name is neither locked nor removes the new file`() throws {
        let file = try OutputFile.create(a, permissions: 0o600)
        let other = try OutputFile.create(b, permissions: 0o600)
        try other.replace(a)
        #expect(try !file.lock())
        file.remove()
        #expect(FileStatus(of: a)?.kind == .regular)
    }

    @Test func `a file moves only where nothing exists`() throws {
        let file = try OutputFile.create(a, permissions: 0o600)
        try file.moveIfAbsent(to: b)
        #expect(FileStatus(of: a) == nil)
        let other = try OutputFile.create(a, permissions: 0o600)
        #expect(throws: SystemCallError(.link, code: EEXIST)) { try other.moveIfAbsent(to: b) }
        other.remove()
        #expect(FileStatus(of: a) == nil)
    }

    @Test func `a file takes the permissions of another, without its set-id bits`() throws {
        let file = try OutputFile.create(a, permissions: 0o600)
        try folder.write("", to: "b")
        unsafe chmod(b, 0o4751)
        #expect(file.copyAttributes(of: try #require(FileStatus(of: b))))
        #expect(FileStatus(of: a)?.permissions == 0o751)
    }

    @Test func `space that is not there leaves the file as it was`() async {
        await #expect(processExitsWith: .success) {
            let folder = TestFolder()
            let file = try OutputFile.create(folder["a"], permissions: 0o600)
            try file.write("old", at: 0)
            var limit = rlimit(rlim_cur: 4096, rlim_max: 4096)
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            #expect(throws: SystemCallError(.posixFallocate, code: EFBIG)) { try file.reserve(1 << 20) }
            #expect(try file.length == 3)
            try file.reserve(4096)
            #expect(try file.length == 4096)
        }
    }

    @Test func `a NUL does not end a path`() {
        #expect(throws: SystemCallError(.open, code: EINVAL)) {
            try OutputFile.create("/tmp/a\u{0}b", permissions: 0o600)
        }
    }
}
