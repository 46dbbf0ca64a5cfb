// SPDX-License-Identifier: Apache-2.0
// Safety: C functions are given terminated strings.
import FoundationEssentials
import Glibc
import TernFiles
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// A storage in memory that gets a file.
@Suite(.timeLimit(.minutes(1))) struct OwnersCookieFileTests {
    private let folder: TestFolder
    private let path: String
    private let storage = HTTPCookieStorage()

    init() throws {
        folder = try TestFolder()
        path = folder.path + "/data/program/cookies.txt"
    }

    private func cookie(_ name: String, _ value: String = "1", endsWithSession: Bool = false) throws -> HTTPCookie {
        let end = endsWithSession ? nil : Date(timeIntervalSinceNow: 1000.0.rounded())
        return try #require(HTTPCookie(name: name, value: value, domain: "a.test", expiresDate: end))
    }

    private func write(_ text: String, permissions: mode_t = 0o600) throws {
        try FilePath.createFolder(FilePath.folder(of: path))
        try Data(text.utf8).write(to: URL(filePath: path))
        unsafe chmod(path, permissions)
    }

    private func line(_ name: String, _ value: String = "1") -> String {
        "a.test\tFALSE\t/\tFALSE\t4102444800\t\(name)\t\(value)\n"
    }

    private var saved: [String] { (try? HTTPCookieStorage(file: URL(filePath: path)))?.cookies?.map(\.text) ?? [] }

    @Test func `cookies of the file are added to those that are set, and replace none`() throws {
        try write(line("a", "old") + line("b", "old"))
        storage.setCookie(try cookie("a", "new"))
        storage.setCookie(try cookie("s", endsWithSession: true))
        storage.attach(ownersFile: path)
        #expect(Set(storage.cookies?.map(\.text) ?? []) == ["a=new", "b=old", "s=1"])
        #expect(storage.cookies(for: try #require(URL(string: "http://a.test/")))?.count == 3)
        try storage.save()
        #expect(Set(saved) == ["a=new", "b=old"] && storage.saveError == nil)
        storage.removeCookies(since: .distantPast)
        try storage.save()
        #expect(saved == [])
    }

    @Test func `folder and file are for their owner alone`() throws {
        storage.attach(ownersFile: path)
        #expect(folder.permissions("data") == 0o700 && folder.permissions("data/program") == 0o700)
        storage.setCookie(try cookie("a"))
        try storage.save()
        #expect(folder.permissions("data/program/cookies.txt") == 0o600 && saved == ["a=1"])
    }

    @Test func `what changes is written in the background`() async throws {
        storage.attach(ownersFile: path)
        storage.setCookie(try cookie("a"))
        let url = URL(filePath: path)
        #expect(await eventually { (try? HTTPCookieStorage(file: url))?.cookies?.map(\.text) == ["a=1"] })
    }

    @Test func `a storage has one file, however many threads attach it`() async throws {
        try write(line("a"))
        await withTaskGroup { group in
            for number in 0..<8 {
                group.addTask { [storage, path] in
                    storage.attach(ownersFile: path)
                    let end = Date(timeIntervalSinceNow: 1000)
                    guard let cookie = HTTPCookie(name: "n\(number)", value: "1", domain: "a.test", expiresDate: end)
                    else { return }
                    storage.setCookie(cookie)
                }
            }
        }
        storage.attach(ownersFile: folder.path + "/other.txt")
        #expect(storage.cookies?.count == 9)
        try storage.save()
        #expect(saved.count == 9 && folder.names == ["data"])
    }

    @Test func `lines that are no cookies are counted, and stay`() throws {
        try write("# made by hand\nnonsense\n" + line("a") + "a.test\tFALSE\n\u{0}\u{1}\n")
        storage.attach(ownersFile: path)
        #expect(storage.skippedLineCount == 3 && storage.firstSkippedLine == 2 && storage.cookies?.count == 1)
        storage.setCookie(try cookie("b"))
        try storage.save()
        let text = folder.content("data/program/cookies.txt").map { String(decoding: $0, as: UTF8.self) } ?? ""
        #expect(text.contains("# made by hand\nnonsense\na.test\tFALSE\n\u{0}\u{1}\n") && saved == ["a=1", "b=1"])
    }

    private func staysInMemory(_ error: (CookieFileError) -> Bool) throws {
        storage.setCookie(try cookie("a"))
        storage.attach(ownersFile: path)
        let reason = try #require(storage.saveError)
        #expect(error(reason), "\(reason)")
        storage.setCookie(try cookie("b"))
        try storage.save()
        #expect(storage.cookies?.map(\.text) == ["a=1", "b=1"] && storage.skippedLineCount == 0)
    }

    @Test func `without a folder the storage stays in memory, and says why`() throws {
        try folder.write("", to: "data")
        try staysInMemory { if case .unwritable = $0 { true } else { false } }
    }

    @Test(arguments: [0o644, 0o660, 0o602] as [mode_t]) func `a file that others may use is left alone`(
        permissions: mode_t
    ) throws {
        try write(line("x"), permissions: permissions)
        try staysInMemory { if case .unreadable = $0 { true } else { false } }
        #expect(saved == ["x=1"])
    }

    @Test(.enabled(if: geteuid() == 0)) func `a file of another user is left alone`() throws {
        try write(line("x"))
        #expect(unsafe chown(path, 65534, 65534) == 0)
        try staysInMemory { if case .unreadable = $0 { true } else { false } }
        #expect(saved == ["x=1"])
    }

    @Test func `a file of 100 MB is left alone`() throws {
        try write(line("x"))
        #expect(unsafe truncate(path, 100 << 20) == 0)
        try staysInMemory { if case .unreadable = $0 { true } else { false } }
        #expect(FileStatus(of: path)?.length == 100 << 20)
    }

    @Test func `a folder or a pipe in the place of the file is left alone`() throws {
        try FilePath.createFolder(FilePath.folder(of: path))
        #expect(unsafe mkfifo(path, 0o600) == 0)
        try staysInMemory { if case .unreadable = $0 { true } else { false } }
    }

    @Test func `a file that another holds is read, and written once it is free`() throws {
        try write(line("a"))
        let lock = try #require(try OutputFile.locked(path + ".lock", within: .zero))
        storage.attach(ownersFile: path)
        storage.setCookie(try cookie("b"))
        #expect(throws: CookieFileError.locked(path: path)) { try storage.save() }
        #expect(storage.saveError == .locked(path: path) && saved == ["a=1"])
        lock.remove()
        lock.unlock()
        try storage.save()
        #expect(storage.saveError == nil && saved == ["a=1", "b=1"])
    }
}
