// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock
import TernTesting
import TestProofs
import Testing

@testable import Tern

@Suite struct DownloadRequestTests {
    private let manager = SessionManager()
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func serving(_ text: String) throws -> ScriptedOrigin { try ScriptedOrigin { _, _ in [.ok(text)] } }

    private func at(
        _ target: URL, _ options: DownloadRequest.DownloadOptions = []
    ) -> DownloadRequest.DownloadFileDestination {
        { _, _ in (target, options) }
    }

    @Test(.proves("4.1b", "4.14c", "11.8a"))
    func `without a destination the file stays where it is, also after the handlers`() async throws {
        let origin = try serving("a picture")
        let response = await manager.download(origin.url()).serializingData().response
        let file = try #require(response.temporaryURL)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(response.value == Data("a picture".utf8) && response.destinationURL == nil)
        #expect(response.response?.statusCode == 200 && response.metrics != nil && response.resumeData == nil)
        #expect(file.text == "a picture")
    }

    @Test(.proves("2.13a", "3.9b", "4.14a", "5.11a"))
    func `the file goes where its destination says, which is asked once and shown the response`() async throws {
        let origin = try serving("a picture")
        let (target, journal) = (try folder.file("x/pig.png"), Journal())
        let request = manager.download(origin.url("/image/png")) { temporary, response in
            journal.note("\(response.statusCode) \(temporary.text ?? "none")")
            return (target, [.createIntermediateDirectories, .removePreviousFile])
        }
        for _ in 0..<2 {
            let response = await request.serializingString().response
            #expect(response.value == "a picture" && response.destinationURL == target)
        }
        #expect(request.delegate.temporaryURL?.text == nil && request.delegate.fileURL == target)
        #expect(target.text == "a picture" && journal.entries == ["200 a picture"])
        // The engine's temporary file is its owner's alone.
        #expect(try FileManager.default.attributesOfItem(atPath: target.path)[.posixPermissions] as? Int != 0o600)
    }

    @Test(.proves("8.4a")) func `every kind of handler gets the same file in its own terms`() async throws {
        struct User: Decodable, Sendable { let name: String }
        let origin = try serving(#"{"name":"Ada"}"#)
        let (results, continuation) = AsyncStream.makeStream(of: String.self)
        let target = try folder.file("a")
        let request = manager.download(origin.url(), to: at(target))
            .response { continuation.yield("\($0.destinationURL == target) \($0.response?.statusCode ?? -1)") }
            .responseData { continuation.yield("\($0.value?.count ?? -1)") }
            .responseString { continuation.yield($0.value ?? "none") }
            .responseJSON { continuation.yield("\(($0.value as? [String: Any])?["name"] ?? "none")") }
            .responsePropertyList { continuation.yield("\($0.error is AFError)") }
            .responseDecodable(of: User.self) {
                continuation.yield($0.value?.name ?? "none")
                continuation.finish()
            }
        let seen = await results.reduce(into: []) { $0.append($1) }
        #expect(seen == ["true 200", "14", #"{"name":"Ada"}"#, "Ada", "true", "Ada"])
        #expect(try await request.serializingDecodable(User.self).value.name == "Ada")
        #expect(try await request.serializingDownloadedFileURL().value == target)
        #expect(try await request.serializingData().value.count == 14)
    }

    @Test func `a handler runs on the queue it names`() async throws {
        let origin = try serving("[1]")
        let (key, queue) = (DispatchSpecificKey<Bool>(), DispatchQueue(label: "mine"))
        queue.setSpecific(key: key, value: true)
        let (marks, continuation) = AsyncStream.makeStream(of: Bool?.self)
        manager.download(origin.url(), to: at(try folder.file("a")))
            .response(queue: queue) { _ in continuation.yield(DispatchQueue.getSpecific(key: key)) }
            .responseJSON(queue: queue) { _ in
                continuation.yield(DispatchQueue.getSpecific(key: key))
                continuation.finish()
            }
        #expect(await marks.reduce(into: []) { $0.append($1) } == [true, true])
    }

    @Test(.proves("4.13a", "5.11b")) func `a file that cannot be moved is the error, and what stood there stays`()
        async throws
    {
        let origin = try serving("new")
        let target = try folder.file("a", "old")
        let occupied = await manager.download(origin.url(), to: at(target)).serializingData().response
        #expect((occupied.error as? CocoaError)?.code == .fileWriteFileExists && target.text == "old")
        #expect(occupied.destinationURL == target && occupied.temporaryURL?.text == "new")
        let missing = await manager.download(origin.url(), to: at(try folder.file("no/a"))).serializingData().response
        #expect((missing.error as? CocoaError)?.code == .fileNoSuchFile)
        for file in [occupied.temporaryURL, missing.temporaryURL] {
            if let file { try FileManager.default.removeItem(at: file) }
        }
        let error = await manager.download(origin.url(), to: at(target, .removePreviousFile)).serializingData().response
            .error
        #expect(error == nil && target.text == "new")
    }

    @Test(.proves("2.13d", "4.2b", "4.14b")) func `handlers receive the error of what cannot be requested`()
        async throws
    {
        let journal = Journal()
        let none = manager.download(
            "not a url",
            to: { temporary, _ in
                journal.note("asked")
                return (temporary, [])
            })
        #expect(none.task == nil)
        none.cancel()
        #expect((await none.serializingData().response.error as? AFError)?.isInvalidURLError == true)
        let date = manager.download(
            "http://127.0.0.1:1/", method: .post, parameters: ["a": Date()], encoding: JSONEncoding.default)
        let response = await date.serializingData().response
        #expect((response.error as? AFError)?.isParameterEncodingError == true)
        #expect(response.request?.httpMethod == "POST" && response.temporaryURL == nil)
        let cut = try ScriptedOrigin { _, _ in [.close] }
        #expect(
            await manager.download(cut.url(), to: at(try folder.file("a"))).serializingData().response.error
                is SessionError)
        #expect(journal.entries == [])
    }

    @Test(.proves("2.13b")) func `parameters, method and header fields reach the server`() async throws {
        let origin = try ScriptedOrigin { _, request in
            [.ok("\(request.method) \(request.target) \(request.value(of: "X-A") ?? "-")")]
        }
        let target = try folder.file("a")
        let request = manager.download(
            origin.url("/get"), method: .get, parameters: ["foo": "bar"], headers: ["X-A": "b"], to: at(target))
        #expect(await request.serializingString().result.value == "GET /get?foo=bar b")
        let router = try URLRequest(url: origin.url("/own"), method: .post)
        let own = manager.download(router, to: at(target, .removePreviousFile))
        #expect(await own.serializingString().result.value == "POST /own -")
        #expect(own.request?.httpMethod == "POST" && own.description.hasPrefix("POST http://127.0.0.1"))
    }

    @Test(.proves("4.15a")) func `a suggested destination is a name in a folder, whatever the server says`() throws {
        let temporary = try folder.file("t")
        func name(_ disposition: String?) throws -> URL {
            let fields = disposition.map { [HeaderField(name: "Content-Disposition", value: $0)] } ?? []
            let response = try HTTPURLResponse(
                url: URL(string: "http://x/image/pig.png"), statusCode: 200, headers: HeaderFields(fields))
            let (url, options) = DownloadRequest.suggestedDownloadDestination(for: .cachesDirectory)(
                temporary, response)
            #expect(options == [])
            return url
        }
        let caches = try #require(FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first)
        #expect(try name(nil).path == caches.appendingPathComponent("pig.png").path)
        #expect(try name("attachment; filename=\"cow.png\"").path == caches.appendingPathComponent("cow.png").path)
        let escape = try name("attachment; filename=\"../../etc/passwd\"")
        #expect(escape.deletingLastPathComponent().standardizedFileURL.path == caches.standardizedFileURL.path)
    }

    @Test func `releasing a request that was never started releases its destination and handlers`() throws {
        final class Witness: Sendable {}
        weak var witness: Witness?
        do {
            manager.startRequestsImmediately = false
            let held = Witness()
            witness = held
            let request = manager.download("http://127.0.0.1:1/") { url, _ in
                withExtendedLifetime(held) { (url, []) }
            }
            request.response { _ in withExtendedLifetime(held) {} }.downloadProgress { _ in
                withExtendedLifetime(held) {}
            }
        }
        #expect(witness == nil)
    }

    @Test func `what a download held is released when it has ended`() async throws {
        final class Witness: Sendable {}
        weak var witness: Witness?
        let origin = try serving("a")
        let target = try folder.file("a")
        let request: DownloadRequest
        do {
            let held = Witness()
            witness = held
            request = manager.download(origin.url()) { _, _ in withExtendedLifetime(held) { (target, []) } }
        }
        #expect(await request.serializingString().result.value == "a")
        #expect(witness == nil && request.delegate.fileURL == target)
    }
}
