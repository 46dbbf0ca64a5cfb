// SPDX-License-Identifier: Apache-2.0
import Dispatch
import FoundationEssentials
import Synchronization
import TernFiles
import TernHTTP1
import TernTLS
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// A cache among sessions, delegates, disks and requests at the same time.
@Suite(.timeLimit(.minutes(1))) struct CacheSessionTests {
    private let fresh = [(name: "Cache-Control", value: "max-age=60")]

    private func session(_ cache: URLCache, _ change: (inout SessionConfiguration) -> Void = { _ in }) -> Session {
        Session.limited(to: 16) {
            $0.urlCache = cache
            change(&$0)
        }
    }

    /// The origin waits here, on a thread of its own.
    private final class Gate: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)

        func wait() {
            semaphore.wait()
            semaphore.signal()
        }

        func open() { semaphore.signal() }
    }

    @Test func `sessions share a cache, and one without a cache has none`() async throws {
        let origin = try ScriptedOrigin { [fresh] _, request in [.respond(fields: fresh, body: "\(request.index)")] }
        let cache = URLCache()
        let request = try URLRequest(origin)
        for session in [session(cache), session(cache)] { _ = try await session.data(for: request) }
        #expect(origin.requests.count == 1)
        let plain = Session.limited()
        _ = try await plain.data(for: request)
        let task = plain.dataTask(with: request, delegate: NoOpTaskDelegate.shared)
        #expect(task.metrics?.cacheStatus == nil && origin.requests.count == 2)
    }

    @Test func `of equal requests at the same time one is sent`() async throws {
        let opened = Gate()
        let origin = try ScriptedOrigin { [fresh] _, _ in
            opened.wait()
            return [.respond(fields: fresh, body: "one")]
        }
        let session = session(URLCache())
        let request = try URLRequest(origin)
        let bodies = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<16 { group.addTask { try await session.text(request) } }
            _ = await origin.waitFor { !$0.requests.isEmpty }
            opened.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(bodies == Array(repeating: "one", count: 16) && origin.requests.count == 1)
    }

    @Test(arguments: ["no-store", "no-cache", "max-age=60"])
    func `requests wait for no response that cannot answer them, and not for one whose reader is gone`(
        control: String
    ) async throws {
        let first = Gate()
        let origin = try ScriptedOrigin { connection, request in
            if request.value(of: "X-First") != nil {
                first.wait()
                return [.respond(fields: [("Cache-Control", control)], body: "one")]
            }
            return [.respond(fields: [("Cache-Control", control)], body: "two")]
        }
        let session = session(URLCache())
        var leader = try URLRequest(origin)
        leader.headers.append("X-First", "1")
        let delegate = RecordingDelegate()
        let task = session.dataTask(with: leader, delegate: delegate)
        task.resume()
        _ = await origin.waitFor { !$0.requests.isEmpty }
        async let second = session.text(try URLRequest(origin))
        if control == "max-age=60" { task.cancel() } else { first.open() }
        #expect(try await second == "two")
        first.open()
        _ = await delegate.end()
    }

    @Test func `requests do not wait long for a server that is silent`() async throws {
        let flights = CacheFlights(maximumWait: .milliseconds(1))
        let request = try URLRequest(string: "http://nowhere.test/")
        let key = try #require(CacheQuery(storing: request)).flight
        guard case .first(let flight) = flights.join(key), case .waits(let number) = flights.join(key) else {
            Issue.record("nothing waits")
            return
        }
        await withCheckedContinuation { continuation in
            _ = flights.wait(for: number, key) { wake in
                if case .lead = wake { continuation.resume() }
            }
        }
        withExtendedLifetime(flight) {}
    }

    @Test func `a stale response answers at once, and is validated for the next request`() async throws {
        let clock = Clock()
        let cache = URLCache(memoryCapacity: 1 << 20, folder: nil, clock: { clock.seconds.load(ordering: .relaxed) })
        let origin = try ScriptedOrigin { _, request in
            request.value(of: "If-None-Match") == nil
                ? [
                    .respond(
                        fields: [("Cache-Control", "max-age=1, stale-while-revalidate=60"), ("ETag", "\"1\"")],
                        body: "a")
                ]
                : [.send(Array("HTTP/1.1 304 X\r\nETag: \"1\"\r\nCache-Control: max-age=100\r\n\r\n".utf8))]
        }
        let session = session(cache)
        let request = try URLRequest(origin)
        #expect(try await session.text(request) == "a")
        clock.seconds.add(10, ordering: .relaxed)
        #expect(try await session.text(request) == "a")
        #expect(await origin.waitFor { $0.requests.count == 2 })
        await session.settle()
        #expect(
            await eventually { cache.cachedResponse(for: request)?.response.head["Cache-Control"] == "max-age=100" })
    }

    private final class Clock: Sendable {
        let seconds = Atomic<Int64>(1_767_225_600)
    }

    @Test func `a response in a coding is stored as it came, and decoded each time`() async throws {
        let body = Array(String(repeating: "hello ", count: 1000).utf8)
        let origin = try ScriptedOrigin { [fresh] _, _ in
            [
                .respond(
                    fields: fresh + [("Content-Encoding", "gzip"), ("Vary", "Accept-Encoding")],
                    body: ZlibCoder.gzip(body))
            ]
        }
        let cache = URLCache()
        let session = session(cache)
        let request = try URLRequest(origin)
        for _ in 0..<2 { #expect(Array(try await session.data(for: request).0) == body) }
        #expect(origin.requests.count == 1)
        // As a program sees it, which sends the same fields.
        var same = request
        same.headers = HeaderFields(origin.requests[0].fields.map { HeaderField(name: $0.name, value: $0.value) })
        let cached = try #require(cache.cachedResponse(for: same))
        #expect(Array(cached.data) == body && cached.response.isContentDecoded)
        cache.storeCachedResponse(CachedURLResponse(response: cached.response, data: Data("new".utf8)), for: same)
        #expect(try await session.text(request) == "new")
    }

    @Test(arguments: [true, false])
    func `a delegate has its say before a response is stored`(stores: Bool) async throws {
        let origin = try ScriptedOrigin { [fresh] _, _ in [.respond(fields: fresh, body: "sent")] }
        let cache = URLCache()
        let session = session(cache)
        let request = try URLRequest(origin)
        let delegate = Asked { question in
            let proposal = question.proposal
            #expect(String(decoding: proposal.data, as: UTF8.self) == "sent" && proposal.response.statusCode == 200)
            question.answer(
                stores
                    ? CachedURLResponse(
                        response: proposal.response, data: Data("changed".utf8), userInfo: ["a": 1],
                        storagePolicy: .allowedInMemoryOnly) : nil)
        }
        session.dataTask(with: request, delegate: delegate).resume()
        await delegate.recorder.wait { $0.completions == 1 }
        #expect(try await session.text(request) == (stores ? "changed" : "sent"))
        #expect(origin.requests.count == (stores ? 1 : 2))
        if stores { #expect(cache.cachedResponse(for: request)?.userInfo?["a"] as? Int == 1) }
    }

    private final class Asked: SessionTaskDelegate {
        let recorder = RecordingDelegate()
        private let answer: @Sendable (CacheQuestion) -> Void

        init(answer: @escaping @Sendable (CacheQuestion) -> Void) { self.answer = answer }

        func handle(_ event: TaskEvent, of task: SessionTask) {
            if case .willCache(let question) = event { answer(question) } else { recorder.handle(event, of: task) }
        }
    }

    @Test func `a program stores, finds and removes responses by itself`() async throws {
        let cache = URLCache()
        let request = try URLRequest(string: "http://nowhere.test/a")
        let response = try HTTPURLResponse(url: request.url, statusCode: 200, headers: ["Cache-Control": "max-age=60"])
        cache.storeCachedResponse(CachedURLResponse(response: response, data: Data("mine".utf8)), for: request)
        let session = session(cache)
        #expect(try await session.text(request) == "mine")
        #expect(cache.currentMemoryUsage > 4 && cache.currentDiskUsage == 0 && cache.diskCapacity == 0)
        cache.removeCachedResponses(since: Date(timeIntervalSinceNow: 60))
        #expect(cache.cachedResponse(for: request) != nil)
        cache.removeCachedResponse(for: request)
        #expect(cache.cachedResponse(for: request) == nil)
        cache.storeCachedResponse(CachedURLResponse(response: response, data: Data("mine".utf8)), for: request)
        cache.removeAllCachedResponses()
        #expect(cache.cachedResponse(for: request) == nil && cache.currentMemoryUsage == 0)
        cache.storeCachedResponse(
            CachedURLResponse(response: response, data: Data(), storagePolicy: .notAllowed), for: request)
        #expect(cache.cachedResponse(for: request) == nil)
    }

    private static let odd: [[String: String]] = [
        ["A": "b"], ["Content-Length": "77", "Connection": "keep-alive"], ["Date": "x", "Cache-Control": "no-store"],
        ["Content-Encoding": "gzip", "Transfer-Encoding": "chunked", "Content-Type": "text/plain; charset=x"],
    ]

    @Test(arguments: [true, false], odd)
    func `what a program stores comes back as it was stored, and answers requests by the rules`(
        isOnDisk: Bool, fields: [String: String]
    ) async throws {
        let folder = try TestFolder()
        let open = {
            isOnDisk ? try URLCache(memoryCapacity: 0, diskCapacity: 1 << 20, folder: folder.url("cache")) : URLCache()
        }
        let cache = try open()
        let request = try URLRequest(string: "http://nowhere.test/a")
        let url = try #require(request.url)
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields))
        let policy: URLCache.StoragePolicy = isOnDisk ? .allowed : .allowedInMemoryOnly
        let stored = CachedURLResponse(response: response, data: Data("mine".utf8), storagePolicy: policy)
        cache.storeCachedResponse(stored, for: request)
        cache.flush()
        for cache in isOnDisk ? [cache, try open()] : [cache] {
            let found = try #require(cache.cachedResponse(for: request))
            #expect(found.response.head.encoded == response.head.encoded && found.response.url == url)
            #expect(found.data == Data("mine".utf8) && !found.response.isContentDecoded)
            #expect(found.storagePolicy == policy)
        }
        // A coding that the data do not have is for who asks.
        if fields["Content-Encoding"] != nil { return }
        var offline = request
        offline.cachePolicy = .returnCacheDataDontLoad
        let (data, answer) = try await session(cache).data(for: offline)
        #expect(data == Data("mine".utf8) && answer.head.values(for: "Content-Length") == ["4"])
        #expect(answer.head.contains("Date") && answer.head.contains("Age") && !answer.head.contains("Connection"))
    }

    @Test func `a head that cannot be written to a file comes back from memory`() throws {
        let fields = ["Content-Length": "4, 5"]
        let request = try URLRequest(string: "http://nowhere.test/a")
        let url = try #require(request.url)
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: fields))
        let stored = CachedURLResponse(response: response, data: Data("mine".utf8))
        let (cache, folder) = (URLCache(), try TestFolder())
        cache.storeCachedResponse(stored, for: request)
        #expect(cache.cachedResponse(for: request)?.response.allHeaderFields == fields)
        let onDisk = try URLCache(memoryCapacity: 0, folder: folder.url("cache"))
        onDisk.storeCachedResponse(stored, for: request)
        #expect(onDisk.cachedResponse(for: request)?.data == Data("mine".utf8))
    }

    @Test func `smaller capacities evict, with what the program keeps`() throws {
        final class Value: Sendable {}
        let folder = try TestFolder()
        let cache = try URLCache(memoryCapacity: 1 << 20, diskCapacity: 1 << 20, folder: folder.url("cache"))
        var requests: [URLRequest] = []
        weak var value: Value?
        for number in 0..<10 {
            let request = try URLRequest(string: "http://nowhere.test/\(number)")
            let response = try HTTPURLResponse(url: request.url, statusCode: 200)
            let kept = Value()
            if number == 0 { value = kept }
            let policy: URLCache.StoragePolicy = number % 2 == 0 ? .allowedInMemoryOnly : .allowed
            cache.storeCachedResponse(
                CachedURLResponse(
                    response: response, data: Data(repeating: 1, count: 20_000), userInfo: ["a": kept],
                    storagePolicy: policy), for: request)
            requests.append(request)
        }
        let found = { requests.map { cache.cachedResponse(for: $0) != nil } }
        #expect(found() == Array(repeating: true, count: 10) && value != nil)
        cache.memoryCapacity = 100_000
        cache.flush()
        #expect(cache.currentMemoryUsage <= 100_000 && value == nil && found().filter { $0 }.count < 10)
        cache.memoryCapacity = 0
        #expect(cache.currentMemoryUsage == 0 && found() == (0..<10).map { $0 % 2 == 1 })
        cache.diskCapacity = 50_000
        #expect(cache.currentDiskUsage <= 50_000 && found().contains(true))
        cache.diskCapacity = 0
        #expect(cache.currentDiskUsage == 0 && !found().contains(true))
    }

    @Test func `content that a program has replaced has no digest of what the server sent`() async throws {
        let cache = URLCache()
        let request = try URLRequest(string: "http://nowhere.test/a")
        let response = try HTTPURLResponse(
            url: request.url, statusCode: 200,
            headers: [
                "Cache-Control": "max-age=60", "Repr-Digest": "sha-256=:a:", "Digest": "md5=a",
                "Content-Digest": "sha-256=:b:", "Content-MD5": "b",
            ])
        cache.storeCachedResponse(CachedURLResponse(response: response, data: Data("mine".utf8)), for: request)
        let (data, found) = try await session(cache).data(for: request)
        #expect(data == Data("mine".utf8) && found.value(forHTTPHeaderField: "Content-Length") == "4")
        for name in ["Repr-Digest", "Digest", "Content-Digest", "Content-MD5"] {
            #expect(found.value(forHTTPHeaderField: name) == nil, "\(name)")
        }
    }

    @Test func `a response is used under the trust policy that it was received under alone`() async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: try authority.issue()) { [fresh] _, _ in
            [.respond(fields: fresh, body: "a")]
        }
        let cache = URLCache()
        let request = try URLRequest(origin)
        let pin = try X509Certificate(pem: authority.certificatePEM).publicKey
        let policies: [[String: ServerTrustPolicy]?] = [
            nil, ["localhost": .disableEvaluation],
            ["localhost": .pinPublicKeys(publicKeys: [pin], validateCertificateChain: true, validateHost: true)],
            ["localhost": .customEvaluation { _, _ in true }], ["localhost": .customEvaluation { _, _ in true }],
        ]
        for (index, policy) in policies.enumerated() {
            let session = try Session.trusting(authority, policies: policy) { $0.urlCache = cache }
            for _ in 0..<2 { _ = try await session.data(for: request) }
            #expect(origin.requests.count == index + 1)
        }
        let same = try Session.trusting(authority, policies: policies[2]) { $0.urlCache = cache }
        _ = try await same.data(for: request)
        #expect(origin.requests.count == policies.count)
        same.serverTrustPolicyManager = nil
        _ = try await same.data(for: request)
        #expect(origin.requests.count == policies.count)
    }

    @Test func `a body of many blocks goes through a folder, stops for a slow reader, and becomes a file`() async throws
    {
        let body = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 255) }
        let origin = try ScriptedOrigin { [fresh] _, _ in [.respond(fields: fresh, body: body)] }
        let folder = try TestFolder()
        let cache = try URLCache(memoryCapacity: 100_000, folder: folder.url("cache"))
        #expect(Array(try await session(cache).data(for: URLRequest(origin)).0) == body)
        cache.flush()
        #expect(cache.diskError == nil && cache.currentDiskUsage > 1_000_000)
        let other = try URLCache(memoryCapacity: 100_000, folder: folder.url("cache"))
        let session = session(other)
        let delegate = RecordingDelegate { task, event in
            if case .body = event {
                task.suspend()
                task.resume()
            }
        }
        let task = session.dataTask(with: try URLRequest(origin), delegate: delegate)
        task.resume()
        #expect(await delegate.end().body == body)
        #expect(task.metrics?.resourceFetchType == .localCache)
        _ = try await session.download(for: try URLRequest(origin), to: folder.url("file"))
        #expect(folder.content("file") == body)
        var range = try URLRequest(origin)
        range.headers.append("Range", "bytes=65000-200000")
        #expect(Array(try await session.data(for: range).0) == Array(body[65_000...200_000]))
        #expect(origin.requests.count == 1)
    }

    /// The server is asked in its place, unless the body is so long that it is delivered as it is read.
    @Test(arguments: [(10, 1_000_000), (700_000, 1_000_000), (999_999, 1_000_000), (17_000_000, 17_500_000)])
    func `a body that is damaged on its disk is not delivered`(byte: Int, length: Int) async throws {
        let body = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 255) }
        let origin = try ScriptedOrigin { [fresh] _, _ in [.respond(fields: fresh, body: body)] }
        let folder = try TestFolder()
        let cache = try URLCache(memoryCapacity: 100_000, folder: folder.url("cache"))
        let session = session(cache)
        let request = try URLRequest(origin)
        let response = try HTTPURLResponse(url: request.url, statusCode: 200, headers: ["Cache-Control": "max-age=60"])
        cache.storeCachedResponse(CachedURLResponse(response: response, data: Data(body)), for: request)
        cache.flush()
        let shard = try #require(FilePath.names(in: folder.path + "/cache").first { $0.count == 2 })
        let name = try #require(FilePath.names(in: "\(folder.path)/cache/\(shard)").first { $0.contains("-") })
        var content = try #require(folder.content("cache/\(shard)/\(name)"))
        content[byte] ^= 1
        try Data(content).write(to: folder.url("cache/\(shard)/\(name)"))
        let delegate = RecordingDelegate()
        session.dataTask(with: request, delegate: delegate).resume()
        let record = await delegate.end()
        if length == 1_000_000 {
            #expect(record.error == nil && record.body == body && origin.requests.count == 1)
        } else {
            #expect(record.error?.reason.kind == .damagedCache && body.starts(with: record.body))
        }
        #expect(Array(try await session.data(for: request).0) == body)
        #expect(origin.requests.count == 1)
    }

    @Test func `a lost server is answered for by a stale response that allows it`() async throws {
        let clock = Clock()
        let cache = URLCache(memoryCapacity: 1 << 20, folder: nil, clock: { clock.seconds.load(ordering: .relaxed) })
        let gone = Flag()
        let origin = try ScriptedOrigin { _, _ in
            gone.value.load(ordering: .relaxed)
                ? [.reset] : [.respond(fields: [("Cache-Control", "max-age=1, stale-if-error=60")], body: "a")]
        }
        let session = session(cache)
        let request = try URLRequest(origin)
        _ = try await session.data(for: request)
        gone.value.store(true, ordering: .relaxed)
        clock.seconds.add(30, ordering: .relaxed)
        #expect(try await session.text(request) == "a")
        clock.seconds.add(100, ordering: .relaxed)
        #expect(await session.failure(of: request)?.reason.isConnectionLoss == true)
    }

    private final class Flag: Sendable {
        let value = Atomic<Bool>(false)
    }
}
