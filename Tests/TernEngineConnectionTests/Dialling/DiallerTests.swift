// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernIO
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.serialized, .timeLimit(.minutes(1))) struct DiallerTests {
    @Test func `a connection knows the addresses of both of its ends`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let session = Session.limited()
        for host in ["127.0.0.1", "localhost"] {
            let delegate = RecordingDelegate()
            let task = session.dataTask(with: try URLRequest(origin, host: host), delegate: delegate)
            task.resume()
            #expect(await delegate.end().error == nil)
            let connection = try #require(task.metrics?.hops.last?.connection)
            #expect(connection.remoteAddress == TransportAddress(literal: "127.0.0.1", port: origin.port))
            #expect(connection.localAddress?.host == "127.0.0.1")
            #expect(connection.localAddress?.port != origin.port)
        }
    }

    // Unix domain sockets

    @Test func `plain requests over one socket share a connection, whatever their hosts`() async throws {
        let socket = try UnixSocket()
        let origin = try ScriptedOrigin(socket.configuration) { _, request in [.ok(request.target)] }
        let session = Session.limited(to: 4) { $0.unixSocket = socket.name }
        for url in ["http://a.test/1", "http://b.test:8080/2", "http://127.0.0.1:1/3"] {
            let delegate = RecordingDelegate()
            let task = session.dataTask(with: try URLRequest(string: url), delegate: delegate)
            task.resume()
            #expect(await delegate.end().error == nil)
            #expect(task.metrics?.hops.last?.connection?.remoteAddress == .unix(socket.name))
            #expect(task.metrics?.hops.last?.connection.map { "\($0.remoteAddress)" } == "unix:\(socket.path)")
            #expect(task.metrics?.hops.last?.connection?.localAddress == nil)
        }
        #expect(origin.connectionCount == 1)
        #expect(origin.requests.map(\.target) == ["/1", "/2", "/3"])
        #expect(origin.requests.map { $0.value(of: "Host") } == ["a.test", "b.test:8080", "127.0.0.1:1"])
    }

    @Test func `a request's own socket counts before the session's`() async throws {
        let (socket, other) = (try UnixSocket(), try UnixSocket())
        let origin = try ScriptedOrigin(socket.configuration) { _, _ in [.ok("session's")] }
        let otherOrigin = try ScriptedOrigin(other.configuration) { _, _ in [.ok("request's")] }
        var named = ScriptedOrigin.Configuration()
        named.address = .abstract(name: socket.path)
        let nameless = try ScriptedOrigin(named) { _, _ in [.ok("without a file")] }
        let session = Session.limited { $0.unixSocket = socket.name }
        var request = try URLRequest(origin)
        #expect(try await session.text(request) == "session's")
        request.unixSocket = other.name
        #expect(try await session.text(request) == "request's")
        request.unixSocket = try UnixSocketName(abstract: socket.path)
        #expect(try await session.text(request) == "without a file")
        #expect([origin, otherOrigin, nameless].map(\.connectionCount) == [1, 1, 1])
    }

    @Test func `a server behind a socket is trusted by its name as any other`() async throws {
        let authority = try CertificateAuthority()
        let socket = try UnixSocket()
        let origin = try ScriptedOrigin(socket.configuration, tls: authority.issue()) { _, _ in [.ok("well")] }
        let session = try Session.trusting(authority) { $0.unixSocket = socket.name }
        for _ in 0..<2 { #expect(try await session.text(URLRequest(origin)) == "well") }
        #expect(origin.connectionCount == 1)
        #expect(origin.observations.handshakes.map(\.serverName) == ["localhost"])
        let error = try #require(await session.failure(of: try URLRequest(origin, host: "other.test")))
        #expect(error.phase == .tls)
        #expect(error.remoteAddress == .unix(socket.name))
        #expect(error.reason.trustFailure?.host == "other.test")
    }

    /// Why there is no server at a socket.
    enum Absence: CaseIterable, Sendable {
        case missing, stale, forbidden

        var code: Int32 {
            switch self {
            case .missing: ENOENT
            case .stale: ECONNREFUSED
            case .forbidden: EACCES
            }
        }
    }

    @Test(arguments: Absence.allCases)
    func `a socket that cannot be connected to is named in the error`(absence: Absence) async throws {
        let socket = try UnixSocket()
        var origin: ScriptedOrigin?
        let session = Session.limited { $0.unixSocket = socket.name }
        switch absence {
        case .missing: break
        case .stale: close(try socket.bind())
        case .forbidden:
            origin = try ScriptedOrigin(socket.configuration) { _, _ in [] }
            unsafe chmod(socket.path, 0)
            await session.dropPrivileges()
        }
        let request = try URLRequest(string: "http://a.test/")
        // On the thread that has lost its rights: any other might connect in its place.
        let attempt = Task(executorPreference: session.executors.first) { await session.failure(of: request) }
        let error = try #require(await attempt.value)
        guard case .connecting(.unreachable(let failure)) = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(failure.attempts.map(\.address) == [.unix(socket.name)])
        #expect(failure.attempts.map(\.error.code) == [absence.code])
        #expect(error.phase == .connect)
        #expect(error.remoteAddress == .unix(socket.name))
        #expect(error.description.hasSuffix("(http://a.test at unix:\(socket.path))"))
        #expect(!error.wasSent)
        #expect(origin?.connectionCount ?? 0 == 0)
    }

    @Test func `a socket whose backlog stays full is distinguished from a distant server`() async throws {
        let socket = try UnixSocket()
        let descriptors = [try socket.bind(backlog: 0), socket.connect()]
        let session = Session.limited { $0.timeouts.connect = .milliseconds(100) }
        var request = try URLRequest(string: "http://a.test/")
        request.unixSocket = socket.name
        let error = try #require(await session.failure(of: request))
        guard case .connecting(.unreachable(let failure)) = error.reason else {
            Issue.record("\(error)")
            return
        }
        #expect(failure.attempts.map(\.error.code) == [EAGAIN])
        #expect(error.phase == .connect)
        #expect(error.remoteAddress == .unix(socket.name))
        for descriptor in descriptors { close(descriptor) }
    }

    @Test func `a redirect leaves a request's socket behind with its origin, but not the session's`() async throws {
        let network = try ScriptedOrigin { _, _ in [.ok("network")] }
        let socket = try UnixSocket()
        let elsewhere = network.url("/")
        let origin = try ScriptedOrigin(socket.configuration) { _, request in
            switch request.target {
            case "/here": [.respond(status: 302, fields: [("Location", "/there")])]
            case "/away": [.respond(status: 302, fields: [("Location", elsewhere)])]
            default: [.ok("socket")]
            }
        }
        for (path, isOfSession, answer) in [
            ("/here", false, "socket"), ("/away", false, "network"), ("/here", true, "socket"),
            ("/away", true, "socket"),
        ] {
            let session = Session.limited { if isOfSession { $0.unixSocket = socket.name } }
            var request = try URLRequest(origin, path)
            if !isOfSession { request.unixSocket = socket.name }
            #expect(try await session.text(request) == answer, "\(path), \(isOfSession)")
        }
    }
}

extension Session {
    /// Takes from this session's own thread what lets root pass by a file's permissions.
    fileprivate func dropPrivileges() async {
        await Task(executorPreference: executors.first) {
            // Of one thread, and not in Glibc's module.
            guard let symbol = unsafe dlsym(nil, "setfsuid") else { return }
            typealias Call = @convention(c) (uid_t) -> Int32
            _ = unsafe unsafeBitCast(symbol, to: Call.self)(65534)
        }.value
    }
}
