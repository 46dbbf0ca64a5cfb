// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernFiles
import Testing

@testable import TernEngine

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
        do {
            let storage = try HTTPCookieStorage(file: file)
            storage.setCookie(try cookie("a"))
            storage.setCookie(try cookie("b", endsWithSession: true))
        }
        #expect(names(try HTTPCookieStorage(file: file)) == ["a"])
        #expect(FileStatus(of: file.path)?.permissions == 0o600)
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
    }

    @Test func `a file of something else is refused and left as it is`() throws {
        try Data("127.0.0.1 localhost\n".utf8).write(to: file)
        #expect(throws: CookieFileError.malformedLine(path: file.path, line: 1)) {
            _ = try HTTPCookieStorage(file: file)
        }
        #expect(throws: CookieFileError.unreadable(path: folder.path)) {
            _ = try HTTPCookieStorage(file: URL(filePath: folder.path))
        }
        #expect(try Data(contentsOf: file) == Data("127.0.0.1 localhost\n".utf8))
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
