// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernIO
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.serialized, .timeLimit(.minutes(1))) struct SocketOptionsTests {
    private static func options(_ change: (inout SocketOptions) -> Void) -> SocketOptions {
        var options = SocketOptions()
        change(&options)
        return options
    }

    private static func from(_ address: String) -> SocketOptions {
        options { $0.localAddress = IPAddress(literal: address) }
    }

    private func optionError(_ error: SessionError?) -> SocketOptionError? {
        guard case .connecting(.socketOption(let failure)) = error?.reason else { return nil }
        #expect(error?.phase == .connect && error?.wasSent == false && error?.isSafeToRepeat == true)
        #expect(error?.reason.kind == .socketOption && error?.reason.rule == "\(failure.rule)")
        return failure
    }

    private func localHost(_ session: Session, _ request: URLRequest) async throws -> String? {
        let delegate = RecordingDelegate()
        let task = session.dataTask(with: request, delegate: delegate)
        task.resume()
        #expect(await delegate.end().error == nil)
        return task.metrics?.hops.last?.connection?.localAddress?.host
    }

    @Test func `a request's options come before the session's, and connections are shared by equal ones`() async throws
    {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let session = Session.limited { $0.socketOptions = Self.from("127.0.0.2") }
        var request = try URLRequest(origin)
        for _ in 0..<2 { #expect(try await localHost(session, request) == "127.0.0.2") }
        #expect(origin.connectionCount == 1)
        request.egressPolicy = .thisMachine
        #expect(try await localHost(session, request) == "127.0.0.2")
        request.egressPolicy = nil
        request.socketOptions = Self.from("127.0.0.3")
        for _ in 0..<2 { #expect(try await localHost(session, request) == "127.0.0.3") }
        #expect(origin.connectionCount == 3)
        request.socketOptions = SocketOptions()
        #expect(try await localHost(session, request) == "127.0.0.1")
        request.socketOptions = nil
        #expect(request.routeSettings == nil)
        #expect(try await localHost(session, request) == "127.0.0.2")
        #expect(origin.connectionCount == 4)
    }

    @Test func `the options hold after a redirect, through a proxy and for a raw stream`() async throws {
        let target = try ScriptedOrigin { _, _ in [.ok()] }
        let origin = try ScriptedOrigin { _, _ in [.redirect(302, to: target.url("/"))] }
        let session = Session.limited { $0.socketOptions = Self.from("127.0.0.4") }
        #expect(try await localHost(session, URLRequest(origin)) == "127.0.0.4")
        var request = try URLRequest(string: "http://a.test/")
        request.proxy = .through(Proxy(.http, host: "127.0.0.1", port: target.port))
        #expect(try await localHost(session, request) == "127.0.0.4")
        request.socketOptions = Self.from("127.0.0.5")
        #expect(try await localHost(session, request) == "127.0.0.5")
        let stream = session.streamTask(withHostName: "127.0.0.1", port: Int(target.port))
        stream.resume()
        try await stream.write(Data("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n".utf8), timeout: .seconds(10))
        _ = try await stream.readData(ofMinLength: 1, maxLength: 100, timeout: .seconds(10))
        stream.cancel()
        #expect(await eventually { stream.metrics?.hops.last?.connection?.localAddress?.host == "127.0.0.4" })
    }

    @Test func `an option that cannot be set is an error that names it and the rule`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        for (options, option, rule) in [
            (
                Self.options { $0.interface = "nosuch0" }, SocketOptionError.Option.interface,
                SocketOptionError.Rule.noInterface
            ),
            (Self.options { $0.localPorts = origin.port...origin.port }, .localPorts, .noFreePort),
            (Self.from("192.0.2.1"), .localAddress, .foreignAddress), (Self.from("::1"), .localAddress, .otherFamily),
            (Self.options { $0.userTimeout = .seconds(-1) }, .userTimeout, .outOfRange),
            (Self.options { $0.keepAlive?.count = 1000 }, .keepAlive, .outOfRange),
        ] {
            let session = Session.limited { $0.socketOptions = options }
            let error = try #require(await session.failure(of: try URLRequest(origin)))
            let failure = try #require(optionError(error), "\(error)")
            #expect(failure.option == option && failure.rule == rule)
            #expect(error.description.contains("the socket option \(option.rawValue) cannot be"))
            let stream = session.streamTask(withHostName: "127.0.0.1", port: Int(origin.port))
            stream.resume()
            let ending = await #expect(throws: SessionError.self) {
                _ = try await stream.readData(ofMinLength: 1, maxLength: 1, timeout: .seconds(10))
            }
            #expect(optionError(ending) == failure)
        }
        #expect(origin.connectionCount == 0)
    }

    @Test func `of several addresses those of another family are left out`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("hello")] }
        let session = Session.limited {
            $0.socketOptions = Self.from("127.0.0.6")
            $0.addressOverrides = (try? AddressOverride("a.test:\(origin.port):::1,127.0.0.1")).map { [$0] } ?? []
        }
        #expect(try await session.text(try URLRequest(origin, host: "a.test")) == "hello")
    }

    @Test func `the session's own requests have its options`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("hello")] }
        var configuration = SessionConfiguration()
        configuration.socketOptions.interface = "nosuch0"
        let (answers, answer) = AsyncStream.makeStream(of: SideResponse?.self)
        for side in [SideSession.forRevocation(configuration), .forReports(configuration)] {
            side.send(try URLRequest(origin), sizeLimit: 100, timeLimit: .seconds(10)) { answer.yield($0) }
        }
        var iterator = answers.makeAsyncIterator()
        for _ in 0..<2 {
            let response = await iterator.next()
            #expect(response.map { $0?.statusCode } == .some(nil))
        }
        #expect(origin.connectionCount == 0)
    }
}
