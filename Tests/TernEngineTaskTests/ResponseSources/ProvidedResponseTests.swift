// SPDX-License-Identifier: Apache-2.0
import Dispatch
import FoundationEssentials
import TernHTTP1
import TernIO
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Answers with what a closure makes of each request, and counts.
private final class Provider: ResponseProvider {
    struct Counts: Equatable {
        var asked: [String] = []
        var starts = 0
        var stops = 0
    }

    typealias Answer = @Sendable (URLRequest, any ProvidedResponseReceiver) -> Void

    private final class Response: ProvidedResponse {
        let request: URLRequest
        let provider: Provider
        let answer: Answer

        init(_ request: URLRequest, _ provider: Provider, _ answer: @escaping Answer) {
            (self.request, self.provider, self.answer) = (request, provider, answer)
        }

        func start(_ receiver: any ProvidedResponseReceiver) {
            provider.counts.withLock { $0.starts += 1 }
            answer(request, receiver)
        }

        func stop() { provider.counts.withLock { $0.stops += 1 } }

        deinit { provider.living.withLock { $0 -= 1 } }
    }

    let isForServers: Bool
    let counts = Lock(Counts())
    let living = Lock(0)
    private let choose: @Sendable (URLRequest) -> Answer?

    init(isForServers: Bool = true, _ choose: @escaping @Sendable (URLRequest) -> Answer?) {
        (self.isForServers, self.choose) = (isForServers, choose)
    }

    /// Answers every request so.
    convenience init(always answer: @escaping Answer) { self.init { _ in answer } }

    func response(to request: URLRequest, of task: any AnyObject & Sendable) -> (any ProvidedResponse)? {
        counts.withLock { $0.asked.append(request.url?.absoluteString ?? "") }
        guard let answer = choose(request) else { return nil }
        living.withLock { $0 += 1 }
        return Response(request, self, answer)
    }
}

extension ProvidedResponseReceiver {
    fileprivate func head(_ status: Int, _ headers: HeaderFields = [:], isStorable: Bool = false, follows: Bool = true)
    {
        guard let response = try? HTTPURLResponse(url: nil, statusCode: status, headers: headers) else { return }
        receive(response, isStorable: isStorable, isFollowed: follows)
    }

    fileprivate func text(_ text: String) { receive(Data(text.utf8)) }

    fileprivate func answer(_ status: Int, _ headers: HeaderFields = [:], _ content: String, isStorable: Bool = false) {
        head(status, headers, isStorable: isStorable)
        text(content)
        finish()
    }
}

@Suite struct ProvidedResponseTests {
    private struct Ruin: Error, Equatable { var number = 7 }

    private func session(
        _ provider: Provider, _ change: (inout SessionConfiguration) -> Void = { _ in }
    ) -> Session {
        Session.limited {
            $0.responseProviders = [provider]
            change(&$0)
        }
    }

    private func get(_ url: String = "http://provided.test/") throws -> URLRequest {
        URLRequest(url: try #require(URL(string: url)))
    }

    private func outcome(_ session: Session, _ request: URLRequest) async -> String {
        do throws(SessionError) {
            let (data, response) = try await session.data(for: request)
            return "\(response.statusCode) \(String(decoding: data, as: UTF8.self))"
        } catch {
            return "\(error.reason.kind)"
        }
    }

    @Test(arguments: ["http://provided.test/", "https://provided.test/", "mock:anything", "mock://a/b?c"])
    func `a provider answers in place of the network, whatever the scheme is`(_ url: String) async throws {
        let provider = Provider(always: { request, receiver in
            receiver.answer(203, ["X-Field": "1"], "\(request.httpMethod ?? "") \(request.httpBody?.count ?? 0)")
        })
        let session = session(provider)
        var request = try get(url)
        request.httpMethod = "POST"
        request.httpBody = Data("abc".utf8)
        let delegate = RecordingDelegate()
        let task = session.dataTask(with: request, delegate: delegate)
        task.resume()
        let record = await delegate.end()
        #expect(record.error == nil)
        #expect(String(decoding: record.body, as: UTF8.self) == "POST 3")
        #expect(task.response?.url?.absoluteString == url)
        #expect(task.response?.headers["X-Field"] == "1")
        let hop = try #require(task.metrics?.hops.first)
        #expect(hop.statusCode == 203 && hop.connection == nil && hop.responseStart != nil && hop.attempts.isEmpty)
        #expect(provider.counts.withLock { $0 } == Provider.Counts(asked: [url], starts: 1, stops: 0))
        #expect(await eventually { provider.living.withLock { $0 } == 0 })
    }

    @Test func `what no provider answers goes to the network`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("network")] }
        let provider = Provider { request in
            if request.url?.path != "/provided" { return nil }
            return { $1.answer(200, "provider") }
        }
        let session = session(provider)
        #expect(await outcome(session, try URLRequest(origin, "/provided")) == "200 provider")
        #expect(await outcome(session, try URLRequest(origin, "/other")) == "200 network")
        #expect(await outcome(session, try get("mock:provided")) == "invalid-request")
        #expect(origin.observations.requestCount == 1)
    }

    @Test func `a provider for what has no server is not asked about the rest`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("network")] }
        let provider = Provider(isForServers: false) { request in
            if request.url?.scheme != "mock" { return nil }
            return { $1.answer(200, "provider") }
        }
        for hasCache in [false, true] {
            let session = session(provider) { $0.urlCache = hasCache ? URLCache() : nil }
            #expect(await outcome(session, try URLRequest(origin)) == "200 network")
            #expect(await outcome(session, try get("mock:a")) == "200 provider")
            #expect(await outcome(session, try get("other:a")) == "invalid-request")
        }
        #expect(provider.counts.withLock { $0.asked } == ["mock:a", "other:a", "mock:a", "other:a"])
    }

    /// What a provider may do wrong, and what comes of it.
    private static let scripts: [(name: String, script: Provider.Answer, outcome: String)] = [
        (
            "a head twice",
            {
                $1.head(201); $1.head(202); $1.text("a"); $1.finish()
            }, "201 a"
        ),
        (
            "content before a head",
            {
                $1.text("a"); $1.head(404); $1.text("b"); $1.finish()
            }, "200 ab"
        ),
        ("an end without a head", { $1.finish() }, "200 "),
        (
            "an end twice",
            {
                $1.answer(200, "a"); $1.finish(); $1.text("b"); $1.finish()
            }, "200 a"
        ),
        (
            "a failure after the end",
            {
                $1.answer(200, "a"); $1.fail(Ruin())
            }, "200 a"
        ),
        (
            "an end after a failure",
            {
                $1.fail(Ruin()); $1.answer(200, "a")
            }, "provider"
        ),
        (
            "a failure in the midst",
            {
                $1.head(200); $1.text("a"); $1.fail(Ruin())
            }, "provider"
        ),
        (
            "a redirect after a head",
            {
                $1.head(200); $1.redirect(to: $0, after: $1.any); $1.finish()
            }, "200 "
        ),
        ("a length that is wrong", { $1.answer(200, ["Content-Length": "9"], "a") }, "200 a"),
        ("a coding that is none", { $1.answer(200, ["Content-Encoding": "gzip"], "a") }, "200 a"),
        ("an informational head", { $1.answer(100, "a") }, "100 a"),
        ("a switch of protocols", { $1.answer(101, ["Upgrade": "a"], "") }, "101 "),
        ("a redirect to nowhere", { $1.answer(302, ["Location": "http://["], "") }, "redirect"),
        (
            "a redirect that is not to be followed",
            {
                $1.head(302, ["Location": "http://a.test/"], follows: false); $1.finish()
            }, "302 "
        ),
        (
            "many pieces",
            {
                for _ in 0..<1000 { $1.text("a") }; $1.finish()
            }, "200 " + String(repeating: "a", count: 1000)
        ),
    ]

    @Test(arguments: scripts.indices)
    func `a provider that does what makes no sense does no harm`(_ index: Int) async throws {
        let script = Self.scripts[index]
        let here = Provider(always: script.script)
        #expect(await outcome(session(here), try get()) == script.outcome, "\(script.name)")
        // From another thread, later.
        let elsewhere = Provider(always: { request, receiver in
            DispatchQueue.global().async { script.script(request, receiver) }
        })
        #expect(await outcome(session(elsewhere), try get()) == script.outcome, "\(script.name), elsewhere")
        // A response that is refused before it is complete is not wanted any more.
        let stops = script.outcome == "redirect" ? 1 : 0
        #expect(here.counts.withLock { $0.stops } <= stops && elsewhere.counts.withLock { $0.stops } <= stops)
        #expect(await eventually { here.living.withLock { $0 } + elsewhere.living.withLock { $0 } == 0 })
    }

    @Test func `the error of a provider is kept, and that of another session is passed on`() async throws {
        let request = try get()
        let own = await session(Provider(always: { $1.fail(Ruin()) })).failure(of: request)
        #expect(own?.providerError as? Ruin == Ruin())
        let other = SessionError(.transfer(.connectionLost(nil)), phase: .head, origin: nil)
        let passed = await session(Provider(always: { $1.fail(other) })).failure(of: request)
        #expect(passed?.reason.kind == .connectionLost)
        #expect(passed?.wasSent == false)
    }

    @Test func `redirects, cookies and retries are those of the network`() async throws {
        let provider = Provider(always: { request, receiver in
            switch request.url?.path {
            case "/from": receiver.answer(302, ["Location": "/to", "Set-Cookie": "a=b"], "x")
            case "/named":
                var next = request
                next.url = URL(string: "mock:to")
                receiver.redirect(to: next, after: receiver.any)
            case "/again":
                var next = request
                next.url = URL(string: "http://a.test/to")
                receiver.redirect(to: next, after: receiver.any)
            case "/busy": receiver.answer(503, ["Retry-After": "0"], "")
            default: receiver.answer(200, request.headers["Cookie"] ?? "none")
            }
        })
        let session = session(provider) {
            $0.httpCookieStorage = HTTPCookieStorage()
            $0.retryPolicy = .standard
            $0.retryPolicy.maximumRetries = 2
            $0.retryPolicy.backOff.base = .milliseconds(1)
        }
        #expect(await outcome(session, try get("http://a.test/from")) == "200 a=b")
        // What policies have added to the hop is not of the next, wherever that leads.
        #expect(await outcome(session, try get("http://a.test/named")) == "200 none")
        #expect(await outcome(session, try get("http://a.test/again")) == "200 a=b")
        #expect(await outcome(session, try get("http://a.test/busy")) == "503 ")
        #expect(
            provider.counts.withLock { $0.asked } == [
                "http://a.test/from", "http://a.test/to", "http://a.test/named", "mock:to",
                "http://a.test/again", "http://a.test/to", "http://a.test/busy",
                "http://a.test/busy", "http://a.test/busy",
            ])
    }

    @Test func `redirects of a provider have the limit of all redirects`() async throws {
        let provider = Provider(always: { $1.redirect(to: $0, after: $1.any) })
        #expect(await outcome(session(provider), try get()) == "redirect")
        #expect(provider.counts.withLock { $0.starts } == 21)
        #expect(await outcome(session(provider) { $0.redirectPolicy = .never }, try get()) == "302 ")
    }

    @Test func `a cache stores what may be stored, and does not answer in place of a provider`() async throws {
        let cache = URLCache()
        let provider = Provider(always: { request, receiver in
            let isStorable = request.url?.path == "/kept"
            receiver.answer(200, ["Cache-Control": "max-age=60"], "provided", isStorable: isStorable)
        })
        let session = session(provider) { $0.urlCache = cache }
        for _ in 0..<2 { #expect(await outcome(session, try get("http://a.test/kept")) == "200 provided") }
        #expect(await outcome(session, try get("http://a.test/other")) == "200 provided")
        #expect(provider.counts.withLock { $0.starts } == 3)
        let plain = Session.limited { $0.urlCache = cache }
        for (path, expected) in [("kept", "200 provided"), ("other", "not-cached")] {
            var request = try get("http://a.test/\(path)")
            request.cachePolicy = .returnCacheDataDontLoad
            #expect(await outcome(plain, request) == expected)
        }
    }

    @Test func `a provider that never answers is stopped once, by a timeout or a cancellation`() async throws {
        let held = Lock<[any ProvidedResponseReceiver]>([])
        let provider = Provider(always: { _, receiver in
            held.withLock { $0.append(receiver) }
            receiver.head(200)
            receiver.text("a")
        })
        for limits in [Timeouts(idle: .milliseconds(30)), Timeouts(idle: nil, total: .milliseconds(30))] {
            #expect(await outcome(session(provider), try get().limited(to: limits)) == "timed-out")
        }
        let delegate = RecordingDelegate()
        let session = session(provider)
        let task = session.dataTask(with: try get(), delegate: delegate)
        task.resume()
        await delegate.wait { !$0.body.isEmpty }
        task.cancel()
        task.cancel()
        #expect(await delegate.end().error?.reason.kind == .cancelled)
        #expect(await eventually { provider.counts.withLock { $0.stops } == 3 })
        for receiver in held.withLock({ $0 }) {
            receiver.text("late")
            receiver.fail(Ruin())
            receiver.finish()
        }
        #expect(delegate.record.completions == 1 && delegate.record.body == Array("a".utf8))
        #expect(provider.counts.withLock { $0.stops } == 3)
        #expect(await eventually { provider.living.withLock { $0 } == 0 })
    }

    @Test func `a suspended task receives nothing, and everything when it is resumed`() async throws {
        let isFull = Lock(false)
        let piece = Data(repeating: 7, count: 1 << 20)
        let provider = Provider(always: { _, receiver in
            receiver.head(200)
            receiver.text("a")
            for _ in 0..<100 { receiver.receive(piece) }
            receiver.finish()
            isFull.withLock { $0 = true }
        })
        let session = session(provider)
        let count = Lock(0)
        let suspended = RecordingDelegate { task, event in
            guard case .head = event else { return }
            task.suspend()
        }
        let task = session.dataTask(with: try get(), delegate: suspended)
        task.resume()
        await suspended.wait { !$0.events.isEmpty }
        #expect(await eventually { isFull.withLock { $0 } })
        await session.settle()
        count.withLock { $0 = suspended.record.body.count }
        #expect(count.withLock { $0 } <= 1)
        task.resume()
        #expect(await suspended.end().body.count == 1 + 100 << 20)
    }

    @Test func `a provider that blocks when it is asked delays its own request alone`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let provider = Provider { request in
            if request.url?.path == "/blocked" { gate.wait() }
            return { _, receiver in receiver.answer(200, "a") }
        }
        let session = session(provider)
        let delegate = RecordingDelegate()
        let blocked = session.dataTask(with: try get("http://a.test/blocked"), delegate: delegate)
        blocked.resume()
        #expect(await eventually { provider.counts.withLock { $0.asked.count } == 1 })
        let total = Timeouts(total: .milliseconds(20))
        #expect(await outcome(session, try get("http://a.test/blocked").limited(to: total)) == "timed-out")
        #expect(await outcome(session, try get("http://a.test/")) == "200 a")
        blocked.cancel()
        #expect(await delegate.end().error?.reason.kind == .cancelled)
        for _ in 0..<2 { gate.signal() }
        #expect(await eventually { provider.living.withLock { $0 } == 0 })
        #expect(provider.counts.withLock { $0.starts } == 1)
    }

    @Test func `many tasks on several reactors are answered, whatever becomes of them`() async throws {
        let provider = Provider(always: { request, receiver in
            DispatchQueue.global().async { receiver.answer(200, "a") }
        })
        let session = session(provider) { $0.reactorCount = 3 }
        let request = try get()
        let answers = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<300 {
                group.addTask {
                    let delegate = RecordingDelegate()
                    let task = session.dataTask(with: request, delegate: delegate)
                    task.resume()
                    if number % 3 == 0 { task.cancel() }
                    return await delegate.end().completions == 1
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(answers == 300)
        #expect(await eventually { provider.living.withLock { $0 } == 0 })
    }

    @Test func `a provider sees what the program has the session add, and not what every session adds`() async throws {
        let provider = Provider(always: { request, receiver in
            receiver.answer(200, request.headers.map { "\($0.name)=\($0.value)" }.joined(separator: " "))
        })
        for hasCache in [false, true] {
            let session = session(provider) {
                $0.httpAdditionalHeaders.append("X-Own", "1")
                $0.urlCache = hasCache ? URLCache() : nil
            }
            var request = try get()
            request.setValue("2", forHTTPHeaderField: "X-Request")
            #expect(await outcome(session, request) == "200 X-Request=2 X-Own=1")
        }
    }

    @Test func `properties of a request are of its copies, and not of others`() throws {
        var request = try get()
        request.credential = PasswordCredential(user: "u", password: "p")
        #expect(request.properties.isEmpty)
        let other = request
        request.properties["a"] = RequestProperty(1)
        let copy = request
        #expect(copy.properties["a"]?.value as? Int == 1 && other.properties.isEmpty)
        #expect(copy.credential?.user == "u")
        request.properties["a"] = nil
        request.credential = nil
        #expect(request.properties.isEmpty && copy.properties.count == 1 && request.credential == nil)
    }
}

extension ProvidedResponseReceiver {
    /// The response that redirects.
    fileprivate var any: HTTPURLResponse {
        guard let response = try? HTTPURLResponse(url: nil, statusCode: 302) else {
            preconditionFailure("a response of status 302 can be made")
        }
        return response
    }

    fileprivate func answer(_ status: Int, _ content: String) { answer(status, [:], content) }
}
