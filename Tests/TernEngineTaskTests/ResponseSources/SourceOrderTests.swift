// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Synchronization
import TernHTTP1
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// A protocol class and a cache, in both orders: what is delivered, what is stored then, and who is asked.
@Suite(.timeLimit(.minutes(1))) struct SourceOrderTests {
    /// What the class does with a request.
    private enum Answer: String, CaseIterable { case storable, unstorable, redirect, failure, confirmation, none }

    /// What is stored before.
    private enum Stored: String, CaseIterable {
        case nothing, fresh, stale, staleIfError

        var control: String {
            switch self {
            case .nothing: "no-store"
            case .fresh: "max-age=600"
            case .stale: "max-age=1"
            case .staleIfError: "max-age=1, stale-if-error=600"
            }
        }
    }

    private final class Class: ResponseProvider {
        let isForServers = true
        let asked = Lock<[String]>([])
        let answer: Answer

        init(_ answer: Answer) { self.answer = answer }

        func response(to request: URLRequest, of task: any AnyObject & Sendable) -> (any ProvidedResponse)? {
            let condition = request.headers["If-None-Match"].map { _ in "?" } ?? ""
            asked.withLock { $0.append("class\(condition)") }
            return answer == .none ? nil : Response(request, answer)
        }
    }

    private final class Response: ProvidedResponse {
        let request: URLRequest
        let answer: Answer

        init(_ request: URLRequest, _ answer: Answer) { (self.request, self.answer) = (request, answer) }

        func start(_ receiver: any ProvidedResponseReceiver) {
            let fields = ["ETag": "\"1\"", "Cache-Control": "max-age=600"] as HeaderFields
            let target = URL(string: "http://class.test/other")
            let redirects = answer == .redirect && request.url != target
            let status = answer == .confirmation ? 304 : redirects ? 302 : 200
            guard let target, let response = try? HTTPURLResponse(url: nil, statusCode: status, headers: fields) else {
                return
            }
            if redirects { return receiver.redirect(to: URLRequest(url: target), after: response) }
            if answer == .failure {
                return receiver.fail(SessionError(.transfer(.connectionLost(nil)), phase: .head, origin: nil))
            }
            receiver.receive(response, isStorable: answer != .unstorable && answer != .redirect, isFollowed: true)
            if status != 304 { receiver.receive(Data("class".utf8)) }
            receiver.finish()
        }

        func stop() {}
    }

    private final class Clock: Sendable {
        let seconds = Atomic<Int64>(1_767_225_600)
    }

    private let clock = Clock()

    private func outcome(_ answer: Answer, _ stored: Stored, isClassFirst: Bool) async throws -> String {
        let cache = URLCache(
            memoryCapacity: 1 << 20, folder: nil, clock: { [clock] in clock.seconds.load(ordering: .relaxed) })
        let isStored = Lock(false)
        let network = try ScriptedOrigin { _, _ in
            let (control, text) = isStored.withLock { $0 } ? ("max-age=600", "network") : (stored.control, "stored")
            return [.respond(fields: [("Cache-Control", control), ("ETag", "\"1\"")], body: text)]
        }
        let plain = Session.limited { $0.urlCache = cache }
        let request = try URLRequest(network)
        _ = try await plain.text(request)
        isStored.withLock { $0 = true }
        clock.seconds.add(30, ordering: .relaxed)
        var configuration = SessionConfiguration()
        let asked = Class(answer)
        configuration.responseProviders = [asked]
        configuration.urlCache = cache
        var sources: [any ResponseSource] = [try #require(Providers(of: configuration))]
        sources.append(try #require(Caching(of: configuration) { _ in }))
        let session = Session.limited(sources: isClassFirst ? sources : sources.reversed())
        let delivered = await text(session, request)
        let requests = asked.asked.withLock { $0 } + (network.requests.count > 1 ? ["network"] : [])
        var lookup = request
        lookup.cachePolicy = .returnCacheDataDontLoad
        return "\(delivered), \(await text(plain, lookup)), \(requests.joined(separator: " "))"
    }

    private func text(_ session: Session, _ request: URLRequest) async -> String {
        do throws(SessionError) {
            let (data, response) = try await session.data(for: request)
            return response.statusCode == 200 ? String(decoding: data, as: UTF8.self) : "\(response.statusCode)"
        } catch {
            return "\(error.reason.kind)"
        }
    }

    /// Of each answer of the class, and of what is stored before: what is delivered, what is stored then, and who is asked,
    /// with a question mark if by a condition.
    private static let classBeforeCache = """
        storable, nothing: class, class, class
        storable, fresh: class, class, class
        storable, stale: class, class, class
        storable, staleIfError: class, class, class
        unstorable, nothing: class, not-cached, class
        unstorable, fresh: class, stored, class
        unstorable, stale: class, stored, class
        unstorable, staleIfError: class, stored, class
        redirect, nothing: class, not-cached, class class
        redirect, fresh: class, stored, class class
        redirect, stale: class, stored, class class
        redirect, staleIfError: class, stored, class class
        failure, nothing: connection-lost, not-cached, class
        failure, fresh: connection-lost, stored, class
        failure, stale: connection-lost, stored, class
        failure, staleIfError: connection-lost, stored, class
        confirmation, nothing: 304, not-cached, class
        confirmation, fresh: 304, stored, class
        confirmation, stale: 304, stored, class
        confirmation, staleIfError: 304, stored, class
        none, nothing: network, network, class network
        none, fresh: stored, stored, class
        none, stale: network, network, class network
        none, staleIfError: network, network, class network
        """

    private static let cacheBeforeClass = """
        storable, nothing: class, class, class
        storable, fresh: stored, stored,
        storable, stale: class, class, class?
        storable, staleIfError: class, class, class?
        unstorable, nothing: class, not-cached, class
        unstorable, fresh: stored, stored,
        unstorable, stale: class, not-cached, class?
        unstorable, staleIfError: class, not-cached, class?
        redirect, nothing: class, not-cached, class class
        redirect, fresh: stored, stored,
        redirect, stale: class, stored, class? class
        redirect, staleIfError: class, stored, class? class
        failure, nothing: connection-lost, not-cached, class
        failure, fresh: stored, stored,
        failure, stale: connection-lost, stored, class?
        failure, staleIfError: stored, stored, class?
        confirmation, nothing: 304, not-cached, class class
        confirmation, fresh: stored, stored,
        confirmation, stale: stored, stored, class?
        confirmation, staleIfError: stored, stored, class?
        none, nothing: network, network, class network
        none, fresh: stored, stored,
        none, stale: network, network, class? network
        none, staleIfError: network, network, class? network
        """

    @Test(arguments: [true, false])
    func `a class and a cache answer, store and ask as the table of their order says`(isClassFirst: Bool) async throws {
        var lines: [String] = []
        for answer in Answer.allCases {
            for stored in Stored.allCases {
                let outcome = try await outcome(answer, stored, isClassFirst: isClassFirst)
                lines.append("\(answer), \(stored): \(outcome)".trimmingSuffix(while: \.isWhitespace))
            }
        }
        let table = isClassFirst ? Self.classBeforeCache : Self.cacheBeforeClass
        for (line, expected) in zip(lines, table.split(separator: "\n")) { #expect(line == expected) }
    }
}

extension String {
    fileprivate func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> String {
        var text = self
        while let last = text.last, isTrimmed(last) { text.removeLast() }
        return text
    }
}
