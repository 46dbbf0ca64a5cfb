// SPDX-License-Identifier: Apache-2.0
// Safety: C functions are given terminated strings.
import FoundationEssentials
import Glibc
import TernFiles
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(1))) struct CredentialStorageTests {
    private let folder: TestFolder
    private let file: URL
    private let space = ProtectionSpace(
        host: "a.test", port: 443, protocol: "https", realm: "x y\n", authenticationMethod: .httpBasic)

    init() throws {
        folder = try TestFolder()
        file = folder.url("credentials.txt")
    }

    private func credential(
        _ user: String, _ password: String = "p w=%\n", _ persistence: Credential.Persistence = .permanent
    ) -> Credential {
        Credential(user: user, password: password, persistence: persistence)
    }

    private func users(_ storage: CredentialStorage) -> [String] {
        storage.allCredentials.values.flatMap(\.keys).sorted()
    }

    private func write(_ text: String, mode: UInt32 = 0o600) throws {
        try Data(text.utf8).write(to: file)
        #expect(unsafe chmod(file.path, mode) == 0)
    }

    private func content() throws -> String { String(decoding: try Data(contentsOf: file), as: UTF8.self) }

    @Test func `spaces are equal without regard to the case of the host, and to nothing else`() {
        let same = ProtectionSpace(
            host: "A.TEST", port: 443, protocol: "HTTPS", realm: "x y\n", authenticationMethod: .httpBasic)
        #expect(space == same && Set([space, same]).count == 1)
        let others = [
            ProtectionSpace(
                host: "b.test", port: 443, protocol: "https", realm: "x y\n", authenticationMethod: .httpBasic),
            ProtectionSpace(
                host: "a.test", port: 80, protocol: "https", realm: "x y\n", authenticationMethod: .httpBasic),
            ProtectionSpace(
                host: "a.test", port: 443, protocol: "http", realm: "x y\n", authenticationMethod: .httpBasic),
            ProtectionSpace(host: "a.test", port: 443, protocol: "https", realm: nil, authenticationMethod: .httpBasic),
            ProtectionSpace(
                host: "a.test", port: 443, protocol: "https", realm: "x y\n", authenticationMethod: .httpDigest),
        ]
        #expect(others.allSatisfy { $0 != space })
        #expect(space.receivesCredentialSecurely && !others[2].receivesCredentialSecurely)
        #expect(others[4].receivesCredentialSecurely && !space.isProxy && space.proxyType == nil)
        #expect(space.distinguishedNames == nil && others[3].authenticationMethod == .httpBasic)
    }

    @Test func `a space has a credential for each user, and one of them is its default`() throws {
        let storage = CredentialStorage()
        #expect(storage.credentials(for: space) == nil && storage.defaultCredential(for: space) == nil)
        storage.set(credential("ada", "1"), for: space)
        storage.set(credential("bob", "2", .forSession), for: space)
        storage.set(credential("ada", "3"), for: space)
        storage.set(credential("eve", "4", .none), for: space)
        #expect(storage.credentials(for: space)?.mapValues(\.password) == ["ada": "3", "bob": "2"])
        #expect(storage.defaultCredential(for: space)?.user == "ada")
        #expect(storage.proposals(for: space).map(\.user) == ["ada", "bob"])
        storage.setDefaultCredential(credential("bob", "2", .forSession), for: space)
        storage.set(credential("ada", "3"), for: space)
        #expect(storage.defaultCredential(for: space)?.user == "bob")
        #expect(storage.proposals(for: space).map(\.user) == ["bob", "ada"])
        storage.remove(credential("bob", "other"), for: space)
        #expect(storage.defaultCredential(for: space) == nil)
        for (space, credentials) in storage.allCredentials {
            for credential in credentials.values { storage.remove(credential, for: space) }
        }
        #expect(storage.allCredentials.isEmpty)
        try storage.save()
    }

    @Test func `permanent credentials survive their storage, for their owner alone`() throws {
        let storage = try CredentialStorage(file: file)
        storage.set(credential("ada"), for: space)
        storage.setDefaultCredential(credential("b c", "", .synchronizable), for: space)
        storage.set(credential("eve", "1", .forSession), for: space)
        let bytes = PasswordCredential(user: [0xE9, 0x20], password: [0, 0x0A, 0xFF], schemes: .basic)
        let bare = ProtectionSpace(host: "::1")
        storage.set(Credential(bytes, persistence: .permanent), for: bare)
        try storage.save()
        #expect(FileStatus(of: file.path)?.permissions == 0o600 && folder.names == ["credentials.txt"])
        let second = try CredentialStorage(file: file)
        #expect(second.credentials(for: space)?.mapValues(\.password) == ["ada": "p w=%\n", "b c": ""])
        #expect(second.defaultCredential(for: space)?.user == "b c")
        #expect(second.credentials(for: bare)?.values.first?.passwordCredential == bytes)
        #expect(second.skippedLineCount == 0 && second.saveError == nil)
        second.remove(credential("ada"), for: space)
        second.set(credential("b c", "new", .forSession), for: space)
        try second.save()
        #expect(users(try CredentialStorage(file: file)) == ["\u{E9} "], "what is for the session is in no file")
    }

    @Test func `storages that share a file keep what the others have written`() throws {
        try write("# mine\nodd line\ntern-2 something else\n")
        let storages = try (0..<2).map { _ in try CredentialStorage(file: file) }
        #expect(storages.map(\.skippedLineCount) == [2, 2])
        storages[0].setDefaultCredential(credential("a"), for: space)
        try storages[0].save()
        storages[1].setDefaultCredential(credential("b"), for: space)
        try storages[1].save()
        storages[0].set(credential("c"), for: space)
        try storages[0].save()
        let all = try CredentialStorage(file: file)
        #expect(users(all) == ["a", "b", "c"] && all.defaultCredential(for: space)?.user == "b")
        #expect(try content().hasPrefix("# mine\nodd line\ntern-2 something else\ntern-1 "))
    }

    @Test func `threads on one file lose nothing`() async throws {
        let (file, space) = (file, space)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    let storage = try CredentialStorage(file: file)
                    for number in 0..<5 {
                        storage.set(
                            Credential(user: "\(thread)-\(number)", password: "p", persistence: .permanent), for: space)
                        try storage.save()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(users(try CredentialStorage(file: file)).count == 20)
    }

    @Test func `what has changed is written in the background, also after the end of the storage`() async throws {
        let file = file
        do {
            let storage = try CredentialStorage(file: file)
            storage.set(credential("ada"), for: space)
        }
        #expect(await eventually { (try? CredentialStorage(file: file))?.allCredentials.count == 1 })
        let storage = try CredentialStorage(file: file)
        storage.set(credential("bob"), for: space)
        #expect(await eventually { (try? CredentialStorage(file: file))?.allCredentials.values.first?.count == 2 })
        withExtendedLifetime(storage) {}
    }

    @Test func `a file that ends anywhere gives whole credentials only, and its rest survives`() throws {
        let storage = try CredentialStorage(file: file)
        storage.setDefaultCredential(credential("ada"), for: space)
        storage.set(credential("bob"), for: space)
        try storage.save()
        let whole = Array(try Data(contentsOf: file))
        for length in 0..<whole.count {
            try Data(whole.prefix(length)).write(to: file)
            #expect(unsafe chmod(file.path, 0o600) == 0)
            let cut = try CredentialStorage(file: file)
            let credentials = cut.credentials(for: space) ?? [:]
            #expect(credentials.values.allSatisfy { $0.password == "p w=%\n" }, "\(length)")
            guard cut.skippedLineCount > 0 else { continue }
            cut.set(credential("eve"), for: space)
            try cut.save()
            let rest = try #require(whole.prefix(length).split(separator: 0x0A).last)
            #expect(try content().contains(String(decoding: rest, as: UTF8.self) + "\n"), "\(length)")
            #expect(try CredentialStorage(file: file).credentials(for: space)?.count == credentials.count + 1)
        }
    }

    @Test(arguments: [
        "tern-1 m https a.test 65536 - 3 - =u =p .", "tern-1 m https a.test x - 3 - =u =p .",
        "tern-1 m https a.test 1 realm 3 - =u =p .", "tern-1 m https a.test 1 - 3 maybe =u =p .",
        "tern-1 m https a.test 1 - 3 - u =p .", "tern-1 m https a.test 1 - 3 - =u =p%4 .",
        "tern-1 m https a.test 1 - 300 - =u =p .", "tern-1 m https %FF 1 - 3 - =u =p .", "tern-1", "\u{0}",
    ])
    func `a line that is no credential spoils nothing but itself`(line: String) throws {
        try write("tern-1 m https a.test 1 - 3 - =ada =p .\n\(line)\n\n# x\ntern-1 m https b.test 1 - 3 - =bob =p .\n")
        let storage = try CredentialStorage(file: file)
        #expect(users(storage) == ["ada", "bob"] && storage.skippedLineCount == 1)
    }

    @Test(arguments: [0o640, 0o604, 0o620, 0o602, 0o666] as [UInt32])
    func `a file that others may use is refused, also when it is written`(mode: UInt32) throws {
        let storage = try CredentialStorage(file: file)
        try write("", mode: mode)
        let error = CredentialFileError.exposed(path: file.path, mode: mode)
        #expect(throws: error) { try CredentialStorage(file: file) }
        storage.set(credential("ada"), for: space)
        #expect(throws: error) { try storage.save() }
        #expect(storage.saveError == error && "\(error)".contains("make it 600") && folder.names.count == 1)
        #expect(unsafe chmod(file.path, 0o600) == 0)
        try storage.save()
        #expect(users(try CredentialStorage(file: file)) == ["ada"])
        #expect(storage.saveError == nil)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a file away"))
    func `a file of another user is refused`() throws {
        try write("")
        #expect(unsafe chown(file.path, 1, 1) == 0)
        let error = CredentialFileError.foreign(path: file.path, owner: 1)
        #expect(throws: error) { try CredentialStorage(file: file) }
        #expect("\(error)" == "\(file.path) belongs to another user, 1")
    }

    @Test func `what is no file is refused, and a missing folder loses nothing`() throws {
        #expect(throws: CredentialFileError.self) { try CredentialStorage(file: folder.url("")) }
        let storage = try CredentialStorage(file: folder.url("none/credentials.txt"))
        storage.set(credential("ada"), for: space)
        #expect(throws: CredentialFileError.self) { try storage.save() }
        try FileManager.default.createDirectory(at: folder.url("none"), withIntermediateDirectories: true)
        try storage.save()
        #expect(users(try CredentialStorage(file: folder.url("none/credentials.txt"))) == ["ada"])
        #expect("\(CredentialFileError.locked(path: "/x"))" == "another process keeps /x.lock locked")
    }

    @Test func `a symbolic link stays, and the file behind it is written`() throws {
        let link = folder.url("link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
        let storage = try CredentialStorage(file: link)
        storage.set(credential("ada"), for: space)
        try storage.save()
        #expect(FilePath.isSymbolicLink(link.path))
        #expect(users(try CredentialStorage(file: file)) == ["ada"])
    }

    @Test func `an accepted credential replaces no other of the same password`() {
        let storage = CredentialStorage()
        storage.set(credential("ada", "1"), for: space)
        storage.accepted(credential("ada", "1", .forSession), for: space)
        #expect(storage.credentials(for: space)?["ada"]?.persistence == .permanent)
        storage.accepted(credential("ada", "2", .forSession), for: space)
        #expect(storage.credentials(for: space)?["ada"]?.password == "2")
        storage.accepted(credential("eve", "1"), for: space)
        #expect(storage.credentials(for: space)?.count == 2)
    }

    private func realm(_ number: Int, host: String = "evil.test") -> ProtectionSpace {
        ProtectionSpace(
            host: host, port: number % 3, protocol: "https", realm: "r\(number)", authenticationMethod: .httpBasic)
    }

    /// The realms of a host for which there are credentials, as numbers.
    private func realms(_ storage: CredentialStorage, _ host: String = "evil.test") -> [Int] {
        storage.allCredentials.keys.filter { $0.host == host }.compactMap { Int($0.realm?.dropFirst() ?? "") }.sorted()
    }

    @Test func `a host that names ever other realms keeps the last ones, and takes none from others`() throws {
        let (limit, rounds) = (CredentialStorage.maximumSpaceCountPerHost, 200)
        for hasFile in [false, true] {
            let storage = hasFile ? try CredentialStorage(file: file) : CredentialStorage()
            storage.set(credential("ada"), for: space)
            storage.set(credential("set"), for: realm(7))
            for number in 0..<rounds {
                storage.accepted(credential("ada"), for: realm(number))
                // What is used stays.
                #expect(storage.proposals(for: realm(3)).count == (number >= 3 ? 1 : 0))
                if number == rounds / 2, hasFile { try storage.save() }
            }
            let kept = [3, 7] + Array(rounds - limit + 1..<rounds)
            #expect(realms(storage) == kept && users(storage).count == limit + 3)
            guard hasFile else { continue }
            try storage.save()
            #expect(try content().split(separator: "\n").count { $0.hasPrefix("tern-1") } == limit + 3)
            let second = try CredentialStorage(file: file)
            #expect(realms(second) == kept)
            // Others go for these, but not what was set.
            for number in rounds..<2 * rounds { second.accepted(credential("ada"), for: realm(number)) }
            try second.save()
            let third = try CredentialStorage(file: file)
            #expect(realms(third) == [7] + Array(2 * rounds - limit..<2 * rounds))
            #expect(third.credentials(for: realm(7))?.count == 2 && third.credentials(for: space)?.count == 1)
        }
    }

    @Test func `beyond the limit those go that were not used for longest, and what was set stays`() {
        let (storage, limit) = (CredentialStorage(), CredentialStorage.maximumSpaceCount)
        storage.set(credential("ada"), for: space)
        for number in 0..<limit { storage.accepted(credential("ada"), for: realm(1, host: "h\(number).test")) }
        #expect(storage.allCredentials.count == limit + 1)
        for number in 0..<10 { _ = storage.proposals(for: realm(1, host: "h\(number).test")) }
        storage.accepted(credential("ada"), for: realm(1, host: "last.test"))
        #expect(storage.allCredentials.count <= limit && storage.allCredentials.count >= limit * 9 / 10)
        #expect(!storage.proposals(for: realm(1, host: "last.test")).isEmpty && !storage.proposals(for: space).isEmpty)
        for number in 0..<10 { #expect(!storage.proposals(for: realm(1, host: "h\(number).test")).isEmpty) }
        #expect(storage.proposals(for: realm(1, host: "h10.test")).isEmpty)
    }

    @Test func `what the program sets in an accepted space, or takes out of it, counts as set`() {
        let (storage, limit) = (CredentialStorage(), CredentialStorage.maximumSpaceCountPerHost)
        for number in 0..<limit { storage.accepted(credential("ada"), for: realm(number)) }
        storage.set(credential("bob"), for: realm(0))
        storage.remove(credential("ada"), for: realm(1))
        for number in limit..<3 * limit { storage.accepted(credential("ada"), for: realm(number)) }
        #expect(realms(storage) == [0] + Array(2 * limit..<3 * limit))
        #expect(storage.credentials(for: realm(0))?.keys.sorted() == ["ada", "bob"])
    }

    @Test func `several storages on one file keep within the limit together`() throws {
        let limit = CredentialStorage.maximumSpaceCountPerHost
        let storages = try (0..<3).map { _ in try CredentialStorage(file: file) }
        for (index, storage) in storages.enumerated() {
            for number in 0..<limit { storage.accepted(credential("ada"), for: realm(number * 3 + index)) }
            try storage.save()
        }
        #expect(realms(try CredentialStorage(file: file)).count == limit)
        #expect(try content().split(separator: "\n").count { $0.hasPrefix("tern-1") } == limit)
    }

    @Test func `a credential for a realm of great length is not kept`() {
        let storage = CredentialStorage()
        for length in [256, 257] {
            let space = ProtectionSpace(host: "a.test", realm: String(repeating: "x", count: length))
            storage.accepted(credential("ada"), for: space)
            #expect((storage.credentials(for: space) != nil) == (length == 256))
        }
    }
}
