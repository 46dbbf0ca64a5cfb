// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock
import TernTesting
import TernURLSession
import Testing

/// What a test has an instance do when it is started, and when it is stopped. Each test has a host of its own.
private struct Behaviour: Sendable {
    typealias Act = @Sendable (Wild) -> Void

    var start: Act
    var stop: Act = { _ in }
    /// Asked for each request; the property idiom is that of the test.
    var accepts: @Sendable (URLRequest) -> Bool = { _ in true }

    static let all = Lock<[String: Behaviour]>([:])
}

/// A protocol class that does as it is told.
private final class Wild: URLProtocol, @unchecked Sendable {
    private static func behaviour(_ request: URLRequest) -> Behaviour? {
        guard let host = request.url?.host else { return nil }
        return Behaviour.all.withLock { $0[host] }
    }

    override class func canInit(with request: URLRequest) -> Bool { behaviour(request)?.accepts(request) == true }

    override func startLoading() { Self.behaviour(request)?.start(self) }

    override func stopLoading() { Self.behaviour(request)?.stop(self) }

    func head(_ status: Int = 200) {
        guard let url = request.url,
            let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: nil)
        else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    }

    func data(_ text: String) { client?.urlProtocol(self, didLoad: Data(text.utf8)) }

    func finish() { client?.urlProtocolDidFinishLoading(self) }

    func fail() { client?.urlProtocol(self, didFailWithError: Ruin()) }
}

private struct Ruin: Error {}

/// Of a task that a protocol class answers.
struct ProtocolOutcome: Equatable, Sendable {
    var status: Int?
    var text: String?
    var code: Int?
    var isRuin = false

    static func answer(_ text: String, _ status: Int = 200) -> ProtocolOutcome {
        ProtocolOutcome(status: status, text: text)
    }
    static func code(_ code: Int) -> ProtocolOutcome { ProtocolOutcome(code: code) }
    static let ruin = ProtocolOutcome(isRuin: true)
}

@Suite(.timeLimit(.minutes(1))) struct MisbehavingProtocolTests {
    private let host = "\(UUID().uuidString.lowercased()).test"
    private let session: URLSession = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Wild.self]
        return URLSession(configuration: configuration)
    }()

    private func request(_ time: TimeInterval? = nil) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: "http://\(host)/")))
        if let time { request.timeoutInterval = time }
        return request
    }

    private func behave(_ behaviour: Behaviour) { Behaviour.all.withLock { $0[host] = behaviour } }

    private func outcome(
        _ request: URLRequest, _ begun: @escaping @Sendable (URLSessionTask) -> Void = { _ in }
    ) async -> ProtocolOutcome {
        await withCheckedContinuation { continuation in
            let task = session.dataTask(with: request) { data, response, error in
                let code = (error as? URLError).map { $0.code.rawValue }
                continuation.resume(
                    returning: ProtocolOutcome(
                        status: (response as? HTTPURLResponse)?.statusCode,
                        text: data.map { String(decoding: $0, as: UTF8.self) },
                        code: code,
                        isRuin: error is Ruin))
            }
            task.resume()
            begun(task)
        }
    }

    @Test(arguments: [
        ("head data finish", ProtocolOutcome.answer("a")), ("head data finish finish", .answer("a")),
        ("head data finish data fail", .answer("a")), ("head data finish head data finish", .answer("a")),
        ("head other data finish", .answer("a")), ("data finish", .answer("a")),
        ("data other data finish", .answer("aa", 500)), ("finish", .answer("")), ("finish head data", .answer("")),
        ("fail", .ruin), ("fail head data finish", .ruin), ("head data fail finish", .ruin), ("head fail fail", .ruin),
    ])
    func `what makes no sense any more has no effect`(_ steps: String, _ expected: ProtocolOutcome) async throws {
        behave(
            Behaviour { instance in
                for step in steps.split(separator: " ") {
                    switch step {
                    case "head": instance.head()
                    case "other": instance.head(500)
                    case "data": instance.data("a")
                    case "finish": instance.finish()
                    default: instance.fail()
                    }
                }
            })
        #expect(await outcome(try request()) == expected)
    }

    @Test func `an answer after the stop has no effect, and the instance is released`() async throws {
        let stopped = AsyncStream<Void>.makeStream()
        behave(
            Behaviour { _ in
            } stop: { instance in
                instance.head()
                instance.data("late")
                instance.finish()
                instance.fail()
                stopped.continuation.yield()
            })
        #expect(await outcome(try request(0.02)) == .code(NSURLErrorTimedOut))
        for await _ in stopped.stream { break }
        let begun = AsyncStream<Void>.makeStream()
        weak var instance: Wild?
        let held = Lock<Wild?>(nil)
        behave(
            Behaviour { wild in
                held.withLock { $0 = wild }
                begun.continuation.finish()
            } stop: { _ in
                stopped.continuation.yield()
            })
        async let cancelled = withCheckedContinuation { (continuation: CheckedContinuation<Int?, Never>) in
            let task = session.dataTask(with: URLRequest(url: URL(string: "http://\(host)/")!)) { _, _, error in
                continuation.resume(returning: (error as? URLError)?.code.rawValue)
            }
            task.resume()
            Task {
                for await _ in begun.stream {}
                task.cancel()
            }
        }
        #expect(await cancelled == NSURLErrorCancelled)
        for await _ in stopped.stream { break }
        instance = held.withLock { $0.take() }
        // Told by the program long after.
        instance?.finish()
        while instance != nil { await Task.yield() }
    }

    @Test func `an instance answers from two threads at once`() async throws {
        behave(
            Behaviour { instance in
                for _ in 0..<2 {
                    Thread.detachNewThread {
                        instance.head()
                        for _ in 0..<100 { instance.data("a") }
                        instance.finish()
                    }
                }
            })
        let found = await outcome(try request())
        // The first end counts.
        #expect(found.status == 200 && (100...200).contains(found.text?.count ?? 0))
    }

    @Test func `an instance that redirects to itself is followed for as long as any server`() async throws {
        let count = Shared(0)
        behave(
            Behaviour { instance in
                count.change { $0 += 1 }
                guard let url = instance.request.url,
                    let response = HTTPURLResponse(url: url, statusCode: 302, httpVersion: nil, headerFields: nil)
                else { return }
                for _ in 0..<100 {
                    instance.client?.urlProtocol(
                        instance, wasRedirectedTo: instance.request, redirectResponse: response)
                }
            })
        #expect(await outcome(try request()) == .code(NSURLErrorHTTPTooManyRedirects))
        #expect((5...30).contains(count()))
    }

    @Test func `a hundred megabytes in one call wait while their task is suspended`() async throws {
        let length = 100 << 20
        let begun = AsyncStream<Void>.makeStream()
        behave(
            Behaviour { instance in
                instance.head()
                instance.client?.urlProtocol(instance, didLoad: Data(count: length))
                instance.finish()
                begun.continuation.finish()
            })
        let counter = ByteCounter()
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Wild.self]
        let session = URLSession(configuration: configuration, delegate: counter, delegateQueue: nil)
        let task = session.dataTask(with: try request())
        task.resume()
        await counter.waitForHead()
        // Suspended in the call about the head.
        for await _ in begun.stream {}
        #expect(counter.count == 0)
        task.resume()
        #expect(await counter.waitForEnd() == length)
        session.finishTasksAndInvalidate()
    }

    @Test func `an instance that blocks keeps no other waiting, and its task is cancelled`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let begun = AsyncStream<Void>.makeStream()
        let stopped = AsyncStream<Void>.makeStream()
        behave(
            Behaviour { _ in
                begun.continuation.finish()
                gate.wait()
            } stop: { _ in
                stopped.continuation.finish()
            })
        let found = await outcome(try request()) { task in
            Task {
                for await _ in begun.stream {}
                task.cancel()
            }
        }
        #expect(found == .code(NSURLErrorCancelled))
        behave(
            Behaviour {
                $0.finish()
            } stop: { _ in
                stopped.continuation.finish()
            })
        #expect(await outcome(try request()) == .answer(""))
        gate.signal()
        for await _ in stopped.stream {}
    }

    @Test func `a class that sends each request itself, and waits for it, is not asked about that`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("network")] }
        let request = URLRequest(url: try #require(URL(string: origin.url("/", host: "localhost"))))
        let asked = Shared<[Bool]>([])
        let session = session
        let behaviour = Behaviour { instance in
            var own: URLRequest = instance.request
            URLProtocol.setProperty(true, forKey: "own", in: &own)
            session.dataTask(with: own) { data, _, _ in
                instance.head()
                instance.data("\(data.map { String(decoding: $0, as: UTF8.self) } ?? "-"), passed on")
                instance.finish()
            }.resume()
        } accepts: { request in
            let isOwn = URLProtocol.property(forKey: "own", in: request) != nil
            asked.change { $0.append(isOwn) }
            if isOwn { return false }
            // One more, whose end is awaited in the question.
            var own = request
            URLProtocol.setProperty(true, forKey: "own", in: &own)
            let done = DispatchSemaphore(value: 0)
            Task {
                _ = try? await session.data(for: own)
                done.signal()
            }
            done.wait()
            return true
        }
        Behaviour.all.withLock { $0["localhost"] = behaviour }
        defer { Behaviour.all.withLock { $0["localhost"] = nil } }
        #expect(await outcome(request) == .answer("network, passed on"))
        #expect(asked() == [false, true, true] && origin.observations.requestCount == 2)
    }

    @Test func `an instance that never answers goes with its session`() async throws {
        let begun = AsyncStream<Void>.makeStream()
        let count = Shared(0)
        behave(
            Behaviour { _ in
                begun.continuation.finish()
            } stop: { _ in
                count.change { $0 += 1 }
            })
        let session = session
        let found = await outcome(try request()) { _ in
            Task {
                for await _ in begun.stream {}
                session.invalidateAndCancel()
            }
        }
        #expect(found == .code(NSURLErrorCancelled))
        while count() == 0 { await Task.yield() }
        #expect(count() == 1)
    }
}

/// Counts a body without keeping it; it suspends its task in the call about the head.
private final class ByteCounter: NSObject, URLSessionDataDelegate {
    private let bytes = Shared(0)
    private let head = AsyncStream<Void>.makeStream()
    private let end = AsyncStream<Void>.makeStream()

    var count: Int { bytes() }

    func waitForHead() async { for await _ in head.stream {} }

    func waitForEnd() async -> Int {
        for await _ in end.stream {}
        return bytes()
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: any URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        dataTask.suspend()
        completionHandler(.allow)
        head.continuation.finish()
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let count = data.count
        bytes.change { $0 += count }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        end.continuation.finish()
    }
}

/// A value that threads share.
private final class Shared<Value: Sendable>: Sendable {
    private let value: Lock<Value>

    init(_ value: Value) { self.value = Lock(value) }

    func callAsFunction() -> Value { value.withLock { $0 } }

    func change(_ body: @Sendable (inout Value) -> Void) { value.withLock { body(&$0) } }
}
