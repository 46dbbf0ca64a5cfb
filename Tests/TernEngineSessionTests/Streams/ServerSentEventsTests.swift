// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(5))) struct ServerSentEventsTests: EventDialogue {
    @Test func `asks for events, and gives each as soon as it is complete`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [
                .send(Self.head + "data: one\n\nevent: x\nda"), .hold, .send("ta: two\r\n\r"), .hold,
                .send("\ndata: lost"),
            ]
        }
        var events = try Self.events(of: origin, policy: .never).makeAsyncIterator()
        #expect(try await events.next() == ServerSentEvent(data: "one"))
        try origin.release()
        #expect(try await events.next() == ServerSentEvent(event: "x", data: "two"))
        let request = try #require(origin.requests.first)
        #expect(request.values(of: "Accept") == ["text/event-stream"])
        #expect(request.values(of: "Cache-Control") == ["no-store"])
        #expect(request.value(of: "Last-Event-ID") == nil)
    }

    @Test func `a stream that ends is taken up again where it was, after what the server says`() async throws {
        let origin = try ScriptedOrigin { connection, _ in
            switch connection {
            case 1: [.send(Self.head + "data: a\nid: 1\n\nretry: 700\n\nid: 2\ndata: never ended"), .close]
            case 2: [.send(Self.head + "data: b\nid: \u{E9}2\n\nretry: nonsense\n\n"), .reset]
            case 3: [.close]
            case 4: [.send(Self.head + "data: c\n\n"), .close]
            default: [.respond(status: 204)]
            }
        }
        let waits = EventWaits()
        let (data, error) = await Self.data(try Self.events(of: origin, .limited(), waits))
        #expect(data.first == "a" && data.last == "c")
        #expect(error == nil)
        #expect(waits.all == [700, 700, 1400, 700].map { .milliseconds($0) })
        let ids = origin.requests.map { $0.value(of: "Last-Event-ID") }
        #expect(ids.count == 5)
        #expect(ids[0] == nil && ids[1] == "1")
    }

    @Test func `the last identifier of a stream is kept where it has none of its own`() async throws {
        let origin = try ScriptedOrigin { connection, _ in
            switch connection {
            case 1: [.send(Self.head + "data: a\nid: 1\n\n"), .close]
            case 2: [.send(Self.head + "data: b\n\n"), .close]
            case 3: [.send(Self.head + "data: c\nid\n\n"), .close]
            default: [.respond(status: 204)]
            }
        }
        let (data, error) = await Self.data(try Self.events(of: origin))
        #expect(data == ["a", "b", "c"] && error == nil)
        #expect(origin.requests.map { $0.value(of: "Last-Event-ID") } == [nil, "1", "1", nil])
    }

    @Test(arguments: ["99999999999999999999999", "0", "-1", "1e9", "\u{663}"])
    func `whatever a server says of when to come back, there is a shortest and a longest wait`(retry: String)
        async throws
    {
        let origin = try ScriptedOrigin { connection, _ in
            connection < 3 ? [.send(Self.head + "retry: \(retry)\n\n"), .close] : [.respond(status: 204)]
        }
        let waits = EventWaits()
        let (data, error) = await Self.data(try Self.events(of: origin, .limited(), waits))
        #expect(data.isEmpty && error == nil)
        #expect(waits.all.count == 2)
        #expect(waits.all.allSatisfy { (.milliseconds(100)...(.seconds(3600))).contains($0) })
    }

    @Test func `an identifier that no header can carry is not sent`() async throws {
        let origin = try ScriptedOrigin { connection, _ in
            connection == 1 ? [.send(Self.head + "data: a\nid: 1\u{1}2\n\n"), .close] : [.respond(status: 204)]
        }
        let (data, error) = await Self.data(try Self.events(of: origin))
        #expect(data == ["a"] && error == nil)
        #expect(origin.requests.map { $0.value(of: "Last-Event-ID") } == [nil, nil])
    }

    @Test(arguments: [
        (200, "text/html"), (200, "text/event-streams"), (200, nil), (404, "text/event-stream"), (503, nil),
        (201, "text/event-stream"),
    ])
    func `what is no stream of events ends it with an error, at first and later`(status: Int, type: String?)
        async throws
    {
        for good in 0...1 {
            let origin = try ScriptedOrigin { connection, _ in
                if connection <= good { return [.send(Self.head + "data: a\n\n"), .close] }
                let fields = type.map { [(name: "Content-Type", value: $0)] } ?? []
                return [.respond(status: status, fields: fields, body: "data: b\n\n")]
            }
            let (data, error) = await Self.data(try Self.events(of: origin))
            #expect(data == Array(repeating: "a", count: good))
            guard case .transfer(.unreadable(.notEvents(status, type))) = error?.reason else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(origin.requests.count == good + 1)
        }
    }

    @Test(arguments: [503, 0]) func `attempts to resume are counted one by one, whatever the session retries`(
        _ status: Int
    ) async throws {
        let origin = try ScriptedOrigin { connection, _ in
            if connection == 1 { return [.send(Self.head + "data: a\n\n"), .close] }
            return status == 0 ? [.closeAbruptly] : [.respond(status: status), .close]
        }
        let session = Session.limited {
            $0.retryPolicy = .standard
            $0.retryPolicy.backOff.base = .milliseconds(1)
        }
        var policy = ReconnectionPolicy()
        policy.maximumAttempts = 3
        let waits = EventWaits()
        let (data, error) = await Self.data(try Self.events(of: origin, session, waits, policy: policy))
        #expect(data == ["a"])
        #expect(error?.reason.kind == (status == 0 ? .connectionLost : .notEvents))
        #expect(origin.requests.count == 4)
        #expect(waits.all == [.seconds(3), .seconds(6), .seconds(12)])
    }

    @Test func `a stream is resumed when a circuit breaker lets it pass`() async throws {
        let origin = try ScriptedOrigin { connection, _ in
            switch connection {
            case 1: [.send(Self.head + "data: a\n\n"), .close]
            case 2...3: [.closeAbruptly]
            case 4: [.send(Self.head + "data: b\n\n"), .close]
            default: [.respond(status: 204)]
            }
        }
        var breaker = CircuitBreaker()
        (breaker.minimumRequests, breaker.openTime) = (3, .milliseconds(20))
        let session = Session.limited { [breaker] in $0.circuitBreaker = breaker }
        let (data, error) = await Self.data(try Self.events(of: origin, session))
        #expect(data == ["a", "b"] && error == nil)
    }

    @Test func `a stream is resumed after a proxy could not reach its server`() async throws {
        let origin = try ScriptedOrigin { connection, _ in
            connection == 1 ? [.send(Self.head + "data: a\n\n"), .close] : [.respond(status: 204)]
        }
        // Host unreachable (RFC 1928 §6).
        let proxy = try ScriptedProxy(faults: { $0 == 2 ? .code(4) : nil })
        let session = Session.limited {
            $0.proxySettings = ProxySettings(Proxy(.socks5h, host: "127.0.0.1", port: proxy.port))
        }
        let (data, error) = await Self.data(try Self.events(of: origin, session))
        #expect(data == ["a"] && error == nil)
        #expect(origin.requests.count == 2)
    }

    @Test func `a server that cannot be reached at first is an error at once`() async throws {
        let origin = try ScriptedOrigin { _, _ in [] }
        origin.stop()
        let waits = EventWaits()
        let (_, error) = await Self.data(try Self.events(of: origin, .limited(), waits))
        guard case .connecting(.unreachable) = error?.reason else {
            Issue.record("\(String(describing: error))"); return
        }
        #expect(waits.all.isEmpty)
    }

    @Test func `a request that may do something twice is sent once`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.send(Self.head + "data: a\n\n"), .close] }
        let events = try Self.events(of: origin) {
            $0.httpMethod = "POST"
            $0.httpBody = Data("{}".utf8)
        }
        let (data, error) = await Self.data(events)
        #expect(data == ["a"] && error == nil)
        #expect(origin.requests.map(\.bodyText) == ["{}"])
    }

    @Test func `cancelling the reader closes the connection, and throws`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.send(Self.head + "data: a\n\n"), .awaitClose] }
        let events = try Self.events(of: origin)
        let (told, tell) = AsyncStream.makeStream(of: Void.self)
        let reader = Task { () async -> SessionError? in
            do throws(SessionError) {
                var iterator = events.makeAsyncIterator()
                while try await iterator.next() != nil { tell.yield() }
                return nil
            } catch {
                return error
            }
        }
        for await _ in told { break }
        reader.cancel()
        #expect(await reader.value?.reason.isCancellation == true)
        #expect(await origin.waitFor { $0.openConnections == 0 })
    }

    @Test func `a reader that is slow slows the server down`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.send(Self.head), .repeat(Array("data: 0123456789\n\n".utf8), count: 10_000_000)]
        }
        var events = try Self.events(of: origin).makeAsyncIterator()
        #expect(try await events.next()?.data == "0123456789")
        #expect(await origin.bytesSentOnceStalled() < 64 << 20)
        #expect(try await events.next()?.data == "0123456789")
    }

    @Test func `a coded stream that was not to be decoded ends it with an error`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [
                .respond(
                    fields: [("Content-Type", "text/event-stream"), ("Content-Encoding", "gzip")],
                    body: "\u{1f}coded")
            ]
        }
        var request = try URLRequest(origin)
        request.decodesContent = false
        var iterator = Session.limited().events(for: request).makeAsyncIterator()
        let error = await #expect(throws: SessionError.self) { try await iterator.next() }
        guard case .transfer(.unreadable(.codedEvents("gzip"))) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
