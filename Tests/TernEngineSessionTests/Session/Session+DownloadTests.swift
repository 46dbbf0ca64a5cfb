// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernTLS
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(5))) struct SessionDownloadTests {
    private let session = Session.limited(to: 4)
    private let content = Pattern.bytes

    @Test(arguments: [0, 1, 65_535, 262_144, 262_145, 3_000_000], [false, true])
    func `a body becomes the file`(count: Int, isChunked: Bool) async throws {
        let folder = try TestFolder()
        let origin = try FileOrigin(Array(content.prefix(count))) { $0.isChunked = isChunked }
        let (file, response) = try await session.download(for: origin.request(), to: folder.url("file"))
        #expect(response.statusCode == 200)
        #expect(file.path() == folder.url("file").path())
        #expect(folder.content("file") == Array(content.prefix(count)))
        #expect(folder.names == ["file"])
    }

    @Test func `over TLS it does too`() async throws {
        let authority = try CertificateAuthority()
        let folder = try TestFolder()
        let origin = try FileOrigin(content, tls: try authority.issue(.localhost))
        _ = try await Session.trusting(authority).download(for: origin.request(), to: folder.url("file"))
        #expect(folder.content("file") == content)
    }

    @Test func `without a target it is a temporary file of the caller's`() async throws {
        let origin = try FileOrigin(content)
        let (file, _) = try await session.download(for: origin.request())
        #expect(try Array(Data(contentsOf: file)) == content)
        try FileManager.default.removeItem(at: file)
    }

    @Test func `a temporary file has any status`() async throws {
        let origin = try FileOrigin([]) { $0.instead = { _ in [.respond(status: 404, reason: "No", body: "gone")] } }
        let (file, response) = try await session.download(for: origin.request())
        #expect(response.statusCode == 404)
        #expect(try Data(contentsOf: file) == Data("gone".utf8))
        try FileManager.default.removeItem(at: file)
    }

    @Test(arguments: [false, true]) func `a broken body can be resumed`(isChunked: Bool) async throws {
        let folder = try TestFolder()
        try folder.write("old", to: "file")
        let origin = try FileOrigin(content) {
            $0.breaksOffAfter = 1_000_000
            $0.isChunked = isChunked
        }
        let error = try await session.failure(origin, to: folder.url("file"), .resumable)
        #expect(error?.reason.isConnectionLoss == true)
        let data = try ResumeData(try #require(error?.resumeData))
        #expect(try ResumeData(besideTarget: folder.url("file")).url == data.url)
        #expect(folder.names == [".file.tern-part", ".file.tern-part.json", "file"])
        #expect(folder.content("file") == Array("old".utf8))
        origin.change { $0.breaksOffAfter = nil }
        #expect(try await session.failure(origin, to: folder.url("file"), .resumable) == nil)
        #expect(folder.content("file") == content)
        #expect(folder.names == ["file"])
        #expect(origin.ranges == ["", "bytes=\(try #require(data.countOfBytesReceived))-"])
        #expect(origin.origin.requests.last?.value(of: "If-Range") == "\"one\"")
        #expect(origin.origin.requests.last?.value(of: "Accept-Encoding") == "identity")
    }

    @Test(arguments: [false, true], [1, 5, 300_000, 3_000_000])
    func `what grows longer than it may is not kept`(isAnnounced: Bool, count: Int) async throws {
        let folder = try TestFolder()
        try folder.write("old", to: "file")
        let origin = try FileOrigin(Array(content.prefix(count))) { $0.isChunked = !isAnnounced }
        var settings = DownloadSettings.resumable
        settings.maximumLength = Int64(count)
        #expect(try await session.failure(origin, to: folder.url("file"), settings) == nil)
        #expect(folder.content("file")?.count == count)
        settings.maximumLength = Int64(count - 1)
        let error = try await session.failure(origin, to: folder.url("file"), settings)
        guard case .download(.tooLong(Int64(count - 1))) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.resumeData == nil)
        #expect(folder.content("file")?.count == count)
        #expect(folder.names == ["file"])
    }

    @Test(arguments: ["206 P\r\nContent-Range: bytes 1-2/9", "202 Later", "204 No", "205 Reset"])
    func `a response that is not a file does not replace a partial file`(answer: String) async throws {
        let folder = try TestFolder()
        try folder.write("old", to: "file")
        let origin = try FileOrigin(content) { $0.breaksOffAfter = 1_000_000 }
        #expect(try await session.failure(origin, to: folder.url("file"), .resumable)?.resumeData != nil)
        let body = answer.hasPrefix("204") || answer.hasPrefix("205") ? "" : "no"
        origin.change {
            $0.instead = { _ in [.send("HTTP/1.1 \(answer)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")] }
        }
        let error = try await session.failure(origin, to: folder.url("file"), .resumable)
        guard case .download = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(folder.content("file") == Array("old".utf8))
        #expect(folder.names == [".file.tern-part", ".file.tern-part.json", "file"])
        origin.change { ($0.instead, $0.breaksOffAfter) = (nil, nil) }
        #expect(try await session.failure(origin, to: folder.url("file"), .resumable) == nil)
        #expect(folder.content("file") == content)
    }

    @Test func `who starts over leaves nothing of what was there`() async throws {
        let folder = try TestFolder()
        let origin = try FileOrigin(content) { $0.breaksOffAfter = 1_000_000 }
        #expect(try await session.failure(origin, to: folder.url("file"), .resumable)?.resumeData != nil)
        // Nothing that could be resumed.
        origin.change { ($0.validator, $0.breaksOffAfter) = ("", nil) }
        var settings = DownloadSettings.resumable
        settings.startsOver = true
        #expect(try await session.failure(origin, to: folder.url("file"), settings) == nil)
        #expect(folder.content("file") == content)
        #expect(folder.names == ["file"])
    }

    @Test func `what has lost its name is not said to be kept`() async throws {
        let folder = try TestFolder()
        let origin = try FileOrigin([]) {
            $0.instead = { _ in
                [
                    .send("HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Length: 2000000\r\n\r\n"),
                    .repeat([UInt8](repeating: 1, count: 1_000_000), count: 1), .hold, .close,
                ]
            }
        }
        async let outcome = session.failure(origin, to: folder.url("file"), .resumable)
        while (folder.content(".file.tern-part")?.count ?? 0) < 1_000_000 { await Task.yield() }
        try FileManager.default.removeItem(at: folder.url(".file.tern-part"))
        try origin.origin.release()
        let error = try await outcome
        #expect(error?.reason.isConnectionLoss == true)
        #expect(error?.resumeData == nil)
    }

    @Test(arguments: [DownloadSettings.ExistingFile.replace, .refuse])
    func `a file that has taken its name does not become the target`(existing: DownloadSettings.ExistingFile)
        async throws
    {
        let folder = try TestFolder()
        let origin = try FileOrigin([]) {
            $0.instead = { _ in
                [
                    .send("HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Length: 1000000\r\n\r\n"),
                    .repeat([UInt8](repeating: 1, count: 999_999), count: 1), .hold, .send("1"),
                ]
            }
        }
        var settings = DownloadSettings.resumable
        settings.existingFile = existing
        async let outcome = session.failure(origin, to: folder.url("file"), settings)
        while (folder.content(".file.tern-part")?.count ?? 0) < 900_000 { await Task.yield() }
        try FileManager.default.removeItem(at: folder.url(".file.tern-part"))
        try folder.write("foreign", to: ".file.tern-part")
        try origin.origin.release()
        guard case .download(.file(let error, _)) = try await outcome?.reason else {
            Issue.record("it became the target")
            return
        }
        #expect(error.code == ENOENT)
        #expect(folder.content("file") == nil)
        #expect(folder.content(".file.tern-part") == Array("foreign".utf8))
    }

    @Test func `two downloads to one target do not mix`() async throws {
        let folder = try TestFolder()
        let origins = try (0..<4).map { index in
            try FileOrigin(Array(repeating: UInt8(index), count: 2_000_000)) { $0.validator = "ETag: \"\(index)\"\r\n" }
        }
        let (session, target) = (session, folder.url("file"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for origin in origins {
                group.addTask {
                    _ = try await session.download(for: origin.request(), to: target, settings: .resumable)
                }
            }
            try await group.waitForAll()
        }
        let file = try #require(folder.content("file"))
        #expect(file == Array(repeating: try #require(file.first), count: 2_000_000))
        #expect(folder.names == ["file"])
    }

    private func hash(_ algorithm: MessageDigest.Algorithm, _ bytes: [UInt8]) -> [UInt8]? {
        var digest = MessageDigest(algorithm)
        unsafe bytes.withUnsafeBytes { unsafe digest.update($0) }
        return digest.finish()
    }

    @Test func `content that is not what its digest says is not kept`() async throws {
        let folder = try TestFolder()
        try folder.write("old", to: "file")
        let origin = try FileOrigin(Array("hello".utf8))
        let right = try #require(hash(.sha256, Array("hello".utf8)))
        var settings = DownloadSettings.resumable
        settings.verification = .digest(.sha256, Data(repeating: 1, count: 32))
        let error = try await session.failure(origin, to: folder.url("file"), settings)
        if case .download(.digestMismatch(.sha256, _, _)) = error?.reason {
        } else {
            Issue.record("\(String(describing: error))")
        }
        #expect(folder.content("file") == Array("old".utf8))
        #expect(folder.names == ["file"])
        settings.verification = .digest(.sha256, Data(right.prefix(31)))
        let short = try await session.failure(origin, to: folder.url("file"), settings)
        #expect(short?.reason.rule == "the digest to compare with has 31 bytes, and one of sha-256 has 32")
        #expect(folder.names == ["file"])
        settings.verification = .digest(.sha256, Data(right))
        #expect(try await session.failure(origin, to: folder.url("file"), settings) == nil)
        #expect(folder.content("file") == Array("hello".utf8))
    }

    @Test func `a digest that the response names is held against the whole of what is resumed`() async throws {
        let folder = try TestFolder()
        let value = Base64.encode(try #require(hash(.sha512, content)))
        let origin = try FileOrigin(content) {
            $0.breaksOffAfter = 2_000_000
            $0.validator += "Repr-Digest: unixsum=:AAAA:, sha-512=:\(value):\r\n"
        }
        var settings = DownloadSettings.resumable
        settings.verification = .reprDigest
        #expect(try await session.failure(origin, to: folder.url("file"), settings)?.reason.isConnectionLoss == true)
        origin.change { $0.breaksOffAfter = nil }
        #expect(try await session.failure(origin, to: folder.url("file"), settings) == nil)
        #expect(folder.content("file") == content)
        #expect(origin.ranges.count == 2 && origin.ranges[1] != "")
        origin.change { $0.validator = "" }
        let error = try await session.failure(origin, to: folder.url("file"), settings)
        if case .download(.noDigest) = error?.reason {} else { Issue.record("\(String(describing: error))") }
    }

    @Test func `a partial file whose first part was changed fails its digest and is not resumed again`() async throws {
        let folder = try TestFolder()
        let value = Data(try #require(hash(.sha256, content)))
        let origin = try FileOrigin(content) { $0.breaksOffAfter = 2_000_000 }
        var settings = DownloadSettings.resumable
        settings.verification = .digest(.sha256, value)
        _ = try await session.failure(origin, to: folder.url("file"), settings)
        var part = try #require(folder.content(".file.tern-part"))
        part[10] ^= 1
        try Data(part).write(to: folder.url(".file.tern-part"), options: [])
        origin.change { $0.breaksOffAfter = nil }
        let error = try await session.failure(origin, to: folder.url("file"), settings)
        if case .download(.digestMismatch) = error?.reason {} else { Issue.record("\(String(describing: error))") }
        #expect(folder.names == [])
        #expect(try await session.failure(origin, to: folder.url("file"), settings) == nil)
        #expect(folder.content("file") == content)
    }

    @Test func `cancelling leaves nothing behind`() async throws {
        let folder = try TestFolder()
        let origin = try FileOrigin([]) {
            $0.instead = { _ in [.send("HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Length: 100\r\n\r\nabc"), .hold] }
        }
        let (session, request, target) = (session, try origin.request(), folder.url("file"))
        let download = Task { try await session.download(for: request, to: target) }
        #expect(await origin.origin.waitFor { !$0.requests.isEmpty })
        download.cancel()
        await #expect { try await download.value } throws: { ($0 as? SessionError)?.reason.isCancellation == true }
        #expect(folder.names == [])
    }
}
