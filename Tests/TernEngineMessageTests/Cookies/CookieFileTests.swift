// SPDX-License-Identifier: Apache-2.0
// Safety: C functions are given terminated strings.
import FoundationEssentials
import Glibc
import TernFiles
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(1))) struct CookieFileTests {
    private let folder: TestFolder
    private let file: URL

    init() throws {
        folder = try TestFolder()
        file = folder.url("cookies.txt")
    }

    private func cookie(_ name: String, _ value: String = "1", endsWithSession: Bool = false) throws -> HTTPCookie {
        let end = endsWithSession ? nil : Date(timeIntervalSinceNow: 1000.0.rounded())
        return try #require(HTTPCookie(name: name, value: value, domain: "a.test", expiresDate: end))
    }

    private func names(_ storage: HTTPCookieStorage) -> [String]? { storage.cookies?.map(\.name) }

    @Test func `cookies survive their storage, but for those of the session`() throws {
        let storage = try HTTPCookieStorage(file: file)
        storage.setCookie(try cookie("a"))
        storage.setCookie(try cookie("b", endsWithSession: true))
        try storage.save()
        #expect(names(try HTTPCookieStorage(file: file)) == ["a"])
        #expect(FileStatus(of: file.path)?.permissions == 0o600)
        #expect(folder.names == ["cookies.txt"])
    }

    @Test func `a storage that ends while another holds the lock waits for nothing, and is written later`() async throws
    {
        let lock = try #require(try OutputFile.locked(file.path + ".lock", within: .zero))
        let holder = Lock<HTTPCookieStorage?>(try HTTPCookieStorage(file: file))
        holder.withLock { [cookie = try cookie("a")] in $0?.setCookie(cookie) }
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let session = Session.limited()
        // The last reference is that of the reactor. A neighbour is answered while the lock is still held.
        await session.onReactor { holder.withLock { $0 = nil } }
        _ = try await session.data(for: try URLRequest(origin))
        #expect(folder.names == ["cookies.txt.lock"])
        lock.unlock()
        let file = file
        #expect(await eventually { (try? HTTPCookieStorage(file: file))?.cookies?.map(\.name) == ["a"] })
    }

    @Test func `saving waits for what is written in the background`() async throws {
        let lock = try #require(try OutputFile.locked(file.path + ".lock", within: .zero))
        let storage = try HTTPCookieStorage(file: file)
        storage.setCookie(try cookie("a"))
        let first = Task.detached { try storage.save() }
        let second = Task.detached { try storage.save() }
        lock.unlock()
        try await first.value
        try await second.value
        #expect(names(try HTTPCookieStorage(file: file)) == ["a"])
    }

    @Test func `cookies of the session are kept where that is wanted`() throws {
        let storage = try HTTPCookieStorage(file: file, keepsSessionCookies: true)
        storage.setCookie(try cookie("b", endsWithSession: true))
        try storage.save()
        #expect(names(try HTTPCookieStorage(file: file, keepsSessionCookies: true)) == ["b"])
        #expect(names(try HTTPCookieStorage(file: file)) == [])
    }

    @Test func `storages that share a file keep what the others have written`() throws {
        let (first, second) = (try HTTPCookieStorage(file: file), try HTTPCookieStorage(file: file))
        for (name, storage) in [("a", first), ("b", second), ("c", first)] {
            storage.setCookie(try cookie(name))
            try storage.save()
        }
        first.deleteCookie(try cookie("a"))
        try first.save()
        second.removeCookies(since: .distantPast)
        second.setCookie(try cookie("d"))
        try second.save()
        #expect(names(try HTTPCookieStorage(file: file)) == ["c", "d"])
    }

    @Test func `eight threads on one file lose nothing`() async throws {
        let file = file
        try await withThrowingTaskGroup { group in
            for thread in 0..<8 {
                group.addTask {
                    for number in 0..<10 {
                        let storage = try HTTPCookieStorage(file: file)
                        storage.setCookie(
                            try #require(
                                HTTPCookie(
                                    name: "n\(thread)-\(number)", value: "1", domain: "a.test",
                                    expiresDate: .distantFuture)))
                        try storage.save()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(names(try HTTPCookieStorage(file: file))?.count == 80)
        #expect(folder.names == ["cookies.txt"])
    }

    @Test func `lines that are no cookies are counted, and survive what is written`() throws {
        let text = "127.0.0.1 localhost\n# mine\na.test\tFALSE\t/\tFALSE\t9999999999\told\t1\n\u{1}\r\n<html>"
        try Data(text.utf8).write(to: file)
        let storage = try HTTPCookieStorage(file: file)
        #expect(names(storage) == ["old"])
        #expect(storage.skippedLineCount == 3)
        storage.setCookie(try cookie("new"))
        for round in 0..<3 {
            storage.setCookie(try cookie("new", "\(round)"))
            try storage.save()
        }
        let kept = "# Netscape HTTP Cookie File\n\n127.0.0.1 localhost\n# mine\n\u{1}\r\n<html>\n"
        let content = try Data(contentsOf: file)
        #expect(content.starts(with: Data(kept.utf8)))
        #expect(content.dropFirst(kept.utf8.count).count(where: { $0 == 0x0A }) == 2)
        #expect(names(try HTTPCookieStorage(file: file)) == ["old", "new"])
    }

    @Test func `what is no regular file, or longer than 64 MB, is refused before it is read`() throws {
        let (pipe, long) = (folder.url("pipe"), folder.url("long"))
        unsafe mkfifo(pipe.path, 0o600)
        try Data().write(to: long)
        unsafe truncate(long.path, off_t(CookieFile.maximumLength) + 1)
        for (path, code) in [(folder.path, EINVAL), (pipe.path, EINVAL), (long.path, EFBIG), ("/dev/zero", EINVAL)] {
            #expect(throws: CookieFileError.unreadable(path: path, SystemCallError(.open, code: code))) {
                _ = try HTTPCookieStorage(file: URL(filePath: path))
            }
        }
    }

    @Test func `a dangling link is followed when the file is created`() throws {
        let link = folder.url("link")
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "cookies.txt")
        let storage = try HTTPCookieStorage(file: link)
        storage.setCookie(try cookie("a"))
        try storage.save()
        #expect(FilePath.isSymbolicLink(link.path))
        #expect(names(try HTTPCookieStorage(file: file)) == ["a"])
    }

    @Test func `a file that cannot be written is an error, and nothing is lost`() throws {
        let missing = folder.url("missing/cookies.txt")
        let storage = try HTTPCookieStorage(file: missing)
        storage.setCookie(try cookie("a"))
        let error = #expect(throws: CookieFileError.self) { try storage.save() }
        let isUnwritable = if case .unwritable(missing.path, _)? = error { true } else { false }
        #expect(isUnwritable)
        #expect(storage.saveError == error)
        try FilePath.createFolder(folder.url("missing").path)
        try storage.save()
        #expect(storage.saveError == nil)
        #expect(names(try HTTPCookieStorage(file: missing)) == ["a"])
    }
}
