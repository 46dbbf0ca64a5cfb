// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import TernURLSession
import Testing

@Suite struct EqualityTests {
    private let origin: ScriptedOrigin
    private let url: URL

    init() throws {
        origin = try ScriptedOrigin { _, _ in [.ok("text")] }
        url = try #require(URL(string: origin.url()))
    }

    @Test func `state is kept by task, and by session`() {
        let session = URLSession(configuration: .ephemeral)
        let (first, second) = (session.dataTask(with: url), session.dataTask(with: url))
        var handlers: [URLSessionTask: String] = [:]
        (handlers[first], handlers[second]) = ("first", "second")
        #expect(handlers[first] == "first" && handlers[second] == "second" && first != second)
        #expect(first.isEqual(first) && !first.isEqual(second) && first.hash == (first as URLSessionTask).hash)
        let known = Set([AnyHashable(session), AnyHashable(first)])
        #expect(known.contains(session) && !known.contains(URLSession(configuration: .ephemeral)))
        session.invalidateAndCancel()
    }

    @Test func `an object is equal to itself alone`() {
        let (configuration, other) = (URLSessionConfiguration.ephemeral, URLSessionConfiguration.ephemeral)
        #expect(configuration == configuration && configuration != other && !configuration.isEqual(other))
        #expect(configuration.copy() as? URLSessionConfiguration != configuration)
        let (cookies, credentials) = (configuration.httpCookieStorage, configuration.urlCredentialStorage)
        #expect(cookies == configuration.httpCookieStorage && cookies != other.httpCookieStorage)
        #expect(credentials == configuration.urlCredentialStorage && credentials != other.urlCredentialStorage)
        let cache = URLCache(memoryCapacity: 1, diskCapacity: 0, diskPath: nil)
        #expect(cache == cache && cache != URLCache.shared && Set([cache, URLCache.shared]).count == 2)
    }

    @Test func `metrics are equal to themselves, and not to those of another task`() async throws {
        let collector = MetricsCollector()
        let session = URLSession(configuration: .ephemeral, delegate: collector, delegateQueue: nil)
        var (all, iterator) = ([URLSessionTaskMetrics](), collector.all.makeAsyncIterator())
        for _ in 0..<2 {
            _ = try await session.data(from: url)
            if let metrics = await iterator.next() {
                #expect(all.last != metrics)
                all.append(metrics)
            }
        }
        #expect(all.count == 2 && all.last == all[1] && Set(all + all).count == 2 && all[0].isEqual(all[0]))
        let transactions = all.flatMap(\.transactionMetrics)
        #expect(transactions.count == 2 && transactions[0] != transactions[1] && Set(transactions).count == 2)
        #expect((transactions[0].response as? HTTPURLResponse)?.statusCode == 200)
        #expect((transactions[0].response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Length") == "4")
    }

    @Test func `challenges, spaces, credentials and cookies are equal by their parts`() throws {
        let space = URLProtectionSpace(
            host: "a.test", port: 80, protocol: "http", realm: "r", authenticationMethod: nil)
        let same = URLProtectionSpace(
            host: "a.test", port: 80, protocol: "http", realm: "r", authenticationMethod: nil)
        #expect(space.isEqual(same) && space.hash == same.hash)
        let sender = NoSender()
        let challenges = [0, 0, 1].map {
            URLAuthenticationChallenge(
                protectionSpace: space, proposedCredential: nil, previousFailureCount: $0, failureResponse: nil,
                error: nil, sender: sender)
        }
        #expect(challenges[0] == challenges[1] && challenges[0] != challenges[2] && Set(challenges).count == 2)
        #expect(
            challenges[0] != URLAuthenticationChallenge(authenticationChallenge: challenges[0], sender: NoSender()))
        let credentials = ["u", "u", "v"].map { URLCredential(user: $0, password: "p", persistence: .none) }
        #expect(credentials[0].hash == credentials[1].hash && Set(credentials).count == 2)
        let cookies = ["a", "a", "b"].compactMap {
            HTTPCookie(properties: [.name: $0, .value: "v", .domain: "a.test", .path: "/"])
        }
        #expect(cookies[0].isEqual(cookies[1]) && cookies[0].hash == cookies[1].hash && Set(cookies).count == 2)
    }
}

private final class MetricsCollector: NSObject, URLSessionTaskDelegate {
    let (all, collect) = AsyncStream<URLSessionTaskMetrics>.makeStream()

    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
        collect.yield(metrics)
    }
}

private final class NoSender: NSObject, URLAuthenticationChallengeSender {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}
