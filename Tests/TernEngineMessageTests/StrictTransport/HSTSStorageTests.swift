// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernFiles
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(1))) struct HSTSStorageTests {
    private let folder: TestFolder
    private let file: URL

    init() throws {
        folder = try TestFolder()
        file = folder.url("hsts.txt")
    }

    private func receive(_ field: String, from host: String = "a.test", in storage: HSTSStorage) {
        storage.receive(Array(field.utf8), from: host)
    }

    private func names(_ storage: HSTSStorage) -> [String] { storage.hosts.map(\.name) }

    @Test func `a host is remembered, and those beneath it if it says so`() {
        let storage = HSTSStorage()
        receive("max-age=100", from: "plain.test", in: storage)
        receive("max-age=100; includeSubDomains", from: "Wide.test.", in: storage)
        let hosts = [
            "plain.test", "PLAIN.test.", "a.plain.test", "wide.test", "a.b.wide.test", "awide.test", "test", "x.test",
        ]
        #expect(hosts.map(storage.requiresTLS) == [true, true, false, true, true, false, false, false])
        receive("max-age=100", from: "deep.wide.test", in: storage)
        #expect(storage.requiresTLS(forHost: "x.deep.wide.test"), "one above it includes it")
    }

    @Test func `a maximum age of 0 removes the host, and the last field counts`() throws {
        let storage = HSTSStorage()
        receive("max-age=100; includeSubDomains", in: storage)
        receive("max-age=50", in: storage)
        let host = try #require(storage.hosts.first)
        let left = try #require(host.expiresDate).timeIntervalSinceNow
        #expect(!host.includesSubdomains && left > 40 && left < 51)
        receive("max-age=0; max-age=0", in: storage)
        #expect(names(storage) == ["a.test"])
        receive("max-age=0", in: storage)
        #expect(names(storage).isEmpty)
        receive("max-age=99999999999999999999", in: storage)
        #expect(storage.hosts.first?.expiresDate == nil && storage.hosts.count == 1)
    }

    @Test(arguments: ["127.0.0.1", "::1", "fe80::1%1", "::ffff:127.0.0.1"])
    func `addresses are not remembered`(host: String) {
        let storage = HSTSStorage()
        receive("max-age=100; includeSubDomains", from: host, in: storage)
        #expect(!storage.set(.init(name: host)))
        #expect(names(storage).isEmpty && !storage.requiresTLS(forHost: host))
    }

    @Test func `hosts are set and removed by the program`() {
        let storage = HSTSStorage()
        #expect(storage.set(.init(name: "A.test.", includesSubdomains: true)))
        #expect(!storage.set(.init(name: "b.test", expiresDate: .distantPast)) && !storage.set(.init(name: "")))
        #expect(storage.hosts == [.init(name: "a.test", includesSubdomains: true)])
        // Under the name in DNS, whichever is given.
        #expect(storage.set(.init(name: "B\u{dc}cher.test")) && storage.requiresTLS(forHost: "xn--bcher-kva.test"))
        storage.remove("b\u{fc}cher.test")
        #expect(!storage.requiresTLS(forHost: "b\u{fc}cher.test"))
        storage.remove("a.TEST")
        #expect(names(storage).isEmpty)
    }

    @Test func `beyond the limit those that would end first are removed`() {
        let storage = HSTSStorage()
        for number in 0...HSTSStorage.maximumHostCount {
            receive("max-age=\(1000 + number)", from: "h\(number).test", in: storage)
        }
        #expect(storage.hosts.count == HSTSStorage.maximumHostCount * 9 / 10)
        #expect(!storage.requiresTLS(forHost: "h0.test"))
        #expect(storage.requiresTLS(forHost: "h\(HSTSStorage.maximumHostCount).test"))
    }

    @Test func `hosts survive their storage once it is saved, for their owner alone`() throws {
        let storage = try HSTSStorage(file: file)
        receive("max-age=100; includeSubDomains", in: storage)
        #expect(folder.names.isEmpty)
        try storage.save()
        #expect(folder.names == ["hsts.txt"] && folder.permissions("hsts.txt") == 0o600)
        let again = try HSTSStorage(file: file)
        #expect(again.hosts == storage.hosts && again.skippedLineCount == 0)
        let before = folder.content("hsts.txt")
        try again.save()
        #expect(folder.content("hsts.txt") == before)
    }

    @Test func `what others have written meanwhile is kept, odd lines and comments included`() throws {
        try folder.write(
            "# mine\nodd line\nkept.test \"unlimited\"\ngone.test \"unlimited\"\nold.test \"20000101 00:00:00\"\n",
            to: "hsts.txt")
        let storage = try HSTSStorage(file: file)
        #expect(storage.skippedLineCount == 1 && storage.firstSkippedLine == 2)
        #expect(names(storage) == ["gone.test", "kept.test"])
        receive("max-age=0", from: "gone.test", in: storage)
        storage.set(.init(name: "new.test"))
        try folder.write(
            "# mine\nodd line\nkept.test \"unlimited\"\ngone.test \"unlimited\"\n.theirs.test \"unlimited\"\n",
            to: "hsts.txt")
        try storage.save()
        #expect(
            folder.content("hsts.txt").map { String(decoding: $0, as: UTF8.self) }
                == "# mine\nodd line\nkept.test \"unlimited\"\nnew.test \"unlimited\"\n.theirs.test \"unlimited\"\n")
    }

    @Test func `a file that cannot be read or written is an error, and nothing is forgotten`() throws {
        #expect(throws: HSTSFileError.self) { try HSTSStorage(file: URL(filePath: folder.path)) }
        let storage = try HSTSStorage(file: URL(filePath: folder.path + "/none/hsts.txt"))
        storage.set(.init(name: "a.test"))
        #expect(throws: HSTSFileError.self) { try storage.save() }
        try FileManager.default.createDirectory(atPath: folder.path + "/none", withIntermediateDirectories: true)
        try storage.save()
        #expect(folder.content("none/hsts.txt") != nil)
    }
}
