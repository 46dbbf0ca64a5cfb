// SPDX-License-Identifier: Apache-2.0
// In Swift 6, and with Foundation beside it, as a file may have it.
import Foundation
import TernAlamofire
import TernTesting
import TestProofs
import Testing

@Suite struct URLSessionTests {
    private let origin: ScriptedOrigin

    init() throws {
        origin = try ScriptedOrigin { _, request in
            request.target == "/cut" ? [.close] : [.ok("\(request.method) \(request.body.count)")]
        }
    }

    private func text(_ task: (@escaping URLSession.DataHandler) -> URLSessionTask) async -> String {
        await withCheckedContinuation { continuation in
            task { data, response, error in
                let code = (error as? URLError).map { "\($0.code.rawValue)" }
                let status = (response as? HTTPURLResponse).map { "\($0.statusCode)" }
                continuation.resume(
                    returning:
                        "\(status ?? "-") \(data.map { String(decoding: $0, as: UTF8.self) } ?? "-") \(code ?? "-")")
            }.resume()
        }
    }

    @Test func `tasks with a completion handler return data, response and error`() async throws {
        let url = try origin.url("/get").asURL()
        let request = URLRequest(url: url)
        #expect(await text { URLSession.shared.dataTask(with: url, completionHandler: $0) } == "200 GET 0 -")
        #expect(await text { URLSession.shared.dataTask(with: request, completionHandler: $0) } == "200 GET 0 -")
        let cut = try origin.url("/cut").asURL()
        #expect(await text { URLSession.shared.dataTask(with: cut, completionHandler: $0) } == "- - -1005")
    }

    @Test func `the shared session cannot be invalidated`() async throws {
        let silent = try ScriptedOrigin { _, _ in [.hold] }
        let running = URLSession.shared.dataTask(with: try silent.url().asURL())
        running.resume()
        #expect(await silent.waitFor { $0.requestCount == 1 })
        URLSession.shared.finishTasksAndInvalidate()
        URLSession.shared.invalidateAndCancel()
        #expect(running.state == .running)
        let url = try origin.url("/get").asURL()
        #expect(await text { URLSession.shared.dataTask(with: url, completionHandler: $0) } == "200 GET 0 -")
        running.cancel()
    }

    @Test func `a reset removes cookies, stored responses and credentials`() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        let url = try origin.url().asURL()
        let (credentials, cache) = (URLCredentialStorage(), URLCache(memoryCapacity: 1 << 20))
        (configuration.urlCredentialStorage, configuration.urlCache) = (credentials, cache)
        let spaces = ["a", "b"].map {
            URLProtectionSpace(
                host: "a.test", port: 80, protocol: "http", realm: $0,
                authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
        }
        for (space, user) in zip(spaces + spaces, ["u", "v", "w", "x"]) {
            credentials.setDefaultCredential(
                URLCredential(user: user, password: "p", persistence: .forSession), for: space)
        }
        let cookie = try #require(HTTPCookie(name: "n", value: "v", domain: "a.test"))
        configuration.httpCookieStorage?.setCookie(cookie)
        let response = try #require(HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil))
        cache.storeCachedResponse(CachedURLResponse(response: response, data: Data([1])), for: URLRequest(url: url))
        #expect(cache.cachedResponse(for: URLRequest(url: url)) != nil && credentials.allCredentials.count == 2)
        let session = URLSession(configuration: configuration)
        await session.reset()
        #expect(credentials.allCredentials.isEmpty)
        #expect(configuration.httpCookieStorage?.cookies?.isEmpty == true)
        #expect(cache.cachedResponse(for: URLRequest(url: url)) == nil)
    }

    private final class Delegate: NSObject, URLSessionDataDelegate, Sendable {}

    @Test(.proves("14.16a"), arguments: [999, 1000])
    func `what completion handlers and async calls collect counts for the memory quota`(limit: Int) async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok(String(repeating: "x", count: 1000))] }
        let request = URLRequest(url: try origin.url().asURL())
        var upload = request
        upload.httpMethod = "POST"
        let quota = MemoryQuota(limit: limit)
        let configuration = URLSessionConfiguration.default
        configuration.memoryQuota = quota
        let plain = URLSession(configuration: configuration)
        let told = URLSession(configuration: configuration, delegate: Delegate())
        let manager = Alamofire.SessionManager(configuration: configuration)
        func collected(_ task: (@escaping URLSession.DataHandler) -> URLSessionTask)
            async throws -> Data
        {
            try await withCheckedThrowingContinuation { continuation in
                task { data, _, error in
                    continuation.resume(with: Swift.Result { if let error { throw error } else { data ?? Data() } })
                }.resume()
            }
        }
        let collectors: [() async throws -> Data] = [
            { try await collected { plain.dataTask(with: request, completionHandler: $0) } },
            { try await collected { told.dataTask(with: request, completionHandler: $0) } },
            { [upload] in try await collected { told.uploadTask(with: upload, from: Data(), completionHandler: $0) } },
            { try await plain.data(for: request).0 }, { try await told.data(for: request).0 },
            { try await plain.data(for: request, delegate: Delegate()).0 },
            { [upload] in try await told.upload(for: upload, from: Data()).0 },
            { try await manager.request(request).serializingData().value },
        ]
        for (number, collect) in collectors.enumerated() {
            if limit == 1000 {
                #expect(try await collect().count == 1000, "\(number)")
            } else {
                let error = await #expect(throws: SessionError.self, "\(number)") { try await collect() }
                #expect(error?.reason.kind == .memoryQuotaExceeded, "\(number)")
            }
            #expect(quota.used == 0, "\(number)")
        }
    }

    @Test func `the answer to a response has its name in URLSession`() {
        let answers: [URLSession.ResponseDisposition] = [.allow, .cancel, .becomeDownload]
        #expect(answers.count == 3)
    }

    @Test func `a priority is kept, and has no effect`() throws {
        let task = URLSession.shared.dataTask(with: URLRequest(url: try origin.url("/get").asURL()))
        task.priority = 1
        #expect(task.priority == 1)
    }

    @Test func `the tasks of a session are listed by kind`() async throws {
        let silent = try ScriptedOrigin { _, _ in [.hold] }
        let url = try silent.url().asURL()
        var upload = URLRequest(url: url)
        upload.httpMethod = "POST"
        let session = URLSession(configuration: URLSessionConfiguration.default, delegate: nil, delegateQueue: nil)
        let tasks: [URLSessionTask] = [
            session.dataTask(with: url) { _, _, _ in },
            session.uploadTask(with: upload, from: Data([1])) { _, _, _ in },
            session.downloadTask(with: url) { _, _, _ in },
        ]
        for task in tasks { task.resume() }
        #expect(await silent.waitFor { $0.requestCount == 3 })
        let byKind: [[Int]] = await withCheckedContinuation { continuation in
            session.getTasksWithCompletionHandler { data, uploads, downloads in
                continuation.resume(
                    returning: [
                        data.map(\.taskIdentifier), uploads.map(\.taskIdentifier), downloads.map(\.taskIdentifier),
                    ])
            }
        }
        #expect(byKind == tasks.map { [$0.taskIdentifier] })
        session.invalidateAndCancel()
    }

    @Test func `the original request is an optional`() throws {
        let task = URLSession.shared.dataTask(with: URLRequest(url: try origin.url().asURL()))
        if let request = task.originalRequest, let fields = request.allHTTPHeaderFields { Issue.record("\(fields)") }
        #expect(task.originalRequest?.httpMethod == "GET")
    }

    @Test func `an upload without a method is not sent`() async throws {
        let request = URLRequest(url: try origin.url().asURL())
        let session = URLSession(configuration: .ephemeral)
        #expect(await text { session.uploadTask(with: request, from: Data([1]), completionHandler: $0) } == "- - -1103")
        let file = URL(filePath: #filePath)
        #expect(await text { session.uploadTask(with: request, fromFile: file, completionHandler: $0) } == "- - -1103")
        let error = try #require(
            await #expect(throws: URLError.self) { try await session.upload(for: request, from: Data([1])) })
        #expect(error.code == .dataLengthExceedsMaximum && "\(error)".contains("no method"))
        var named = request
        named.httpMethod = "PUT"
        #expect(await text { session.uploadTask(with: named, from: Data([1]), completionHandler: $0) } == "200 PUT 1 -")
        #expect(origin.requests.count == 1)
    }

    @Test func `tasks of an invalid session are not listed`() async throws {
        let silent = try ScriptedOrigin { _, _ in [.hold] }
        let session = URLSession(configuration: .ephemeral)
        let task = session.dataTask(with: try silent.url().asURL())
        task.resume()
        #expect(await silent.waitFor { $0.requestCount == 1 })
        #expect(await session.allTasks == [task])
        session.invalidateAndCancel()
        #expect(await session.allTasks.isEmpty)
    }

    @Test func `uploads send data and files`() async throws {
        var request = URLRequest(url: try origin.url("/post").asURL())
        request.httpMethod = "POST"
        let data = Data("hello".utf8)
        #expect(
            await text { URLSession.shared.uploadTask(with: request, from: data, completionHandler: $0) }
                == "200 POST 5 -")
        let file = FileManager.default.temporaryDirectory.appending(path: "upload-\(UUID())")
        try Data("hello world".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(
            await text { URLSession.shared.uploadTask(with: request, fromFile: file, completionHandler: $0) }
                == "200 POST 11 -")
    }

    @Test func `downloads pass the file's location, which exists for as long as the handler runs`() async throws {
        func outcome(_ path: String) async throws -> (text: String?, file: URL?, code: Int?) {
            let url = try origin.url(path).asURL()
            return await withCheckedContinuation { continuation in
                let task: URLSessionDownloadTask = URLSession.shared.downloadTask(with: url) { location, _, error in
                    let text = location.flatMap { try? String(contentsOf: $0, encoding: .utf8) }
                    continuation.resume(returning: (text, location, (error as? URLError)?.code.rawValue))
                }
                task.resume()
            }
        }
        let (text, file, code) = try await outcome("/get")
        #expect(text == "GET 0" && code == nil)
        // It is removed when the handler has returned: on another thread.
        let end = ContinuousClock.now + .seconds(5)
        while let file, FileManager.default.fileExists(atPath: file.path), ContinuousClock.now < end {
            await Task.yield()
        }
        #expect(file.map { FileManager.default.fileExists(atPath: $0.path) } == false)
        let cut = try await outcome("/cut")
        #expect(cut.text == nil && cut.file == nil && cut.code == -1005)
    }

    @Test func `running tasks are listed`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.hold] }
        let session = URLSession(configuration: .default)
        let task = session.dataTask(with: try origin.url().asURL()) { _, _, _ in }
        task.resume()
        #expect(await origin.waitFor { !$0.requests.isEmpty })
        let tasks = await withCheckedContinuation { continuation in
            session.getAllTasks { continuation.resume(returning: $0) }
        }
        #expect(tasks.map(\.taskIdentifier) == [task.taskIdentifier])
        session.invalidateAndCancel()
    }
}
