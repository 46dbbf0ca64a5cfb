// SPDX-License-Identifier: Apache-2.0
import TernEngine
import TernLock
import TernTesting
import Testing

extension Session {
    /// A session that this observer watches, and that repeats after 503.
    static func watched(
        by observer: any SessionObserver, _ change: (inout SessionConfiguration) -> Void = { _ in }
    ) -> Session {
        var configuration = SessionConfiguration()
        configuration.observers = [observer]
        configuration.reactorCount = 1
        configuration.retryPolicy = .standard
        (configuration.retryPolicy.statusCodes, configuration.retryPolicy.failures) = ([503], [])
        configuration.retryPolicy.backOff.base = .milliseconds(1)
        change(&configuration)
        return Session(configuration: configuration)
    }
}

/// What each facade is tested with: all the ways in which a request ends, and what comes of them.
enum Journey {
    /// A request that is answered by the second attempt, one that is answered at once, one that is lost, and one that is
    /// cancelled. Then the session has ended.
    static func make(with session: Session, to origin: ScriptedOrigin) async throws {
        _ = try await session.data(for: URLRequest(string: origin.url()))
        _ = try await session.data(for: URLRequest(string: origin.url("/missing")))
        _ = try? await session.data(for: URLRequest(string: origin.url("/lost")))
        let task = session.dataTask(with: try URLRequest(string: origin.url("/held")))
        task.resume()
        #expect(await origin.waitFor { $0.requests.contains { $0.target == "/held" } })
        task.cancel()
        await session.finish()
    }

    /// A request whose second attempt, beside the first, has the answer. Then the session has ended.
    static func hedge(watchedBy observer: any SessionObserver) async throws {
        let count = Lock(0)
        let origin = try ScriptedOrigin { _, _ in
            let isFirst = count.withLock { count in
                defer { count += 1 }
                return count == 0
            }
            return isFirst ? [.awaitClose] : [.ok("second")]
        }
        let session = Session.watched(by: observer) { configuration in
            configuration.retryPolicy.hedging = .after(.milliseconds(20))
            configuration.retryPolicy.budget = nil
        }
        let (data, _) = try await session.data(for: URLRequest(string: origin.url()))
        #expect(String(decoding: data, as: UTF8.self) == "second")
        await session.finish()
    }
}

extension ScriptedOrigin {
    /// An origin that answers its first request with 503, and later ones with 200; `/lost` with nothing, `/held` never, and
    /// `/missing` with 404.
    static func busyOnce() throws -> ScriptedOrigin {
        let count = Lock(0)
        return try ScriptedOrigin { _, request in
            switch request.target {
            case "/lost": return [.reset]
            case "/held": return [.awaitClose]
            case "/missing": return [.respond(status: 404, body: "none")]
            default:
                let isFirst = count.withLock { count in
                    defer { count += 1 }
                    return count == 0
                }
                return isFirst ? [.respond(status: 503, body: "busy")] : [.ok("done")]
            }
        }
    }
}
