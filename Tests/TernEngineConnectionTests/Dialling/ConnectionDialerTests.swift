// SPDX-License-Identifier: Apache-2.0
// Safety: system calls get pointers that live for the call, with their own size.
import Foundation
import Glibc
import TernHTTP1
import TernIO
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.serialized, .timeLimit(.minutes(1))) struct ConnectionDialerTests {
    private struct Odd: Error {}

    private static let stream = Int32(SOCK_STREAM.rawValue)

    /// A connected, blocking socket to a port of loopback.
    private static func connected(to port: UInt16) throws -> Descriptor {
        let descriptor = Descriptor(owning: socket(AF_INET, stream, 0))
        var address = sockaddr_in()
        (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), port.bigEndian)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor.rawValue, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if result != 0 { throw Odd() }
        return descriptor
    }

    /// One end of a pair of sockets, and the other one, which a test reads.
    private final class Pair: Sendable {
        private let ours: DialledDescriptor
        let other: Descriptor

        init() {
            var ends: [Int32] = [-1, -1]
            _ = unsafe socketpair(AF_UNIX, ConnectionDialerTests.stream | Int32(SOCK_CLOEXEC.rawValue), 0, &ends)
            ours = DialledDescriptor(Descriptor(owning: ends[0]))
            other = Descriptor(owning: ends[1])
        }

        func take() throws -> Descriptor {
            guard let descriptor = ours.take() else { throw Odd() }
            return descriptor
        }

        /// Whether the other end is closed, and has sent nothing.
        var isClosedUnused: Bool {
            var byte: UInt8 = 0
            return unsafe recv(other.rawValue, &byte, 1, Int32(MSG_DONTWAIT)) == 0
        }

        /// Passes bytes on, in both directions, until one side ends.
        func relay(to port: UInt16) throws {
            let server = DialledDescriptor(try ConnectionDialerTests.connected(to: port))
            guard let server = server.take() else { return }
            let far = Far(server)
            Thread.detachNewThread { [self] in Self.copy(from: other, to: far.descriptor) }
            Thread.detachNewThread { [self] in Self.copy(from: far.descriptor, to: other) }
        }

        private final class Far: Sendable {
            let descriptor: Descriptor
            init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }
        }

        private static func copy(from source: borrowing Descriptor, to target: borrowing Descriptor) {
            var buffer = [UInt8](repeating: 0, count: 16 * 1024)
            while true {
                let count = unsafe recv(source.rawValue, &buffer, buffer.count, 0)
                if count <= 0 { break }
                var sent = 0
                while sent < count {
                    let more = unsafe buffer[sent..<count].withUnsafeBytes {
                        unsafe send(target.rawValue, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                    }
                    if more <= 0 { return }
                    sent += more
                }
            }
            _ = shutdown(target.rawValue, Int32(SHUT_WR))
        }
    }

    /// A dialer to a port of loopback, and the hosts that it was asked for.
    private final class Dialer: Sendable {
        private final class Asked: Sendable { let hosts = Lock<[String]>([]) }

        let dialer: ConnectionDialer
        private let asked = Asked()

        init(to port: UInt16) {
            let asked = asked
            dialer = ConnectionDialer { destination in
                asked.hosts.withLock { $0.append("\(destination)") }
                return try ConnectionDialerTests.connected(to: port)
            }
        }

        var destinations: [String] { asked.hosts.withLock { $0 } }
    }

    private func dialerError(_ error: SessionError?) -> ConnectionDialerError? {
        guard case .connecting(.dialer(let failure)) = error?.reason else { return nil }
        #expect(error?.phase == .connect && error?.wasSent == false && error?.reason.kind == .dialer)
        return failure
    }

    private func violation(_ error: SessionError?) -> EgressViolation? {
        guard case .connecting(.egressRefused(let violation)) = error?.reason else { return nil }
        return violation
    }

    // Connections

    @Test func `a connection of a dialer is used and kept like any other`() async throws {
        let origin = try ScriptedOrigin { _, request in [.ok(request.value(of: "Host") ?? "")] }
        let dialer = Dialer(to: origin.port)
        let session = Session.limited { $0.dialer = dialer.dialer }
        for _ in 0..<2 {
            let delegate = RecordingDelegate()
            let task = session.dataTask(with: try URLRequest(string: "http://A.test/"), delegate: delegate)
            task.resume()
            #expect(await delegate.end().error == nil)
            let connection = try #require(task.metrics?.hops.last?.connection)
            #expect(connection.remoteAddress == TransportAddress(literal: "127.0.0.1", port: origin.port))
            #expect(connection.localAddress?.host == "127.0.0.1")
        }
        #expect(try await session.text(URLRequest(string: "http://[::1]:8080/")) == "[::1]:8080")
        #expect(dialer.destinations.count == 2 && origin.connectionCount == 2)
        #expect(
            dialer.destinations == [
                "\(HTTPOrigin(scheme: .http, host: "a.test", port: 80))",
                "\(HTTPOrigin(scheme: .http, host: "[::1]", port: 8080))",
            ])
    }

    @Test func `over a pair of sockets a server is trusted by the name in the URL`() async throws {
        let authority = try CertificateAuthority()
        let body = String(repeating: "x", count: 1_000_000)
        let origin = try ScriptedOrigin(tls: authority.issue()) { _, _ in [.ok(body)] }
        let session = try Session.trusting(authority) {
            $0.dialer = ConnectionDialer { _ in
                let pair = Pair()
                try pair.relay(to: origin.port)
                return try pair.take()
            }
        }
        for _ in 0..<2 { #expect(try await session.text(URLRequest(string: "https://localhost/")) == body) }
        #expect(origin.connectionCount == 1)
        let error = try #require(await session.failure(of: try URLRequest(string: "https://other.test/")))
        #expect(error.reason.trustFailure?.host == "other.test" && error.phase == .tls)
        #expect(error.remoteAddress == .unnamed)
    }

    @Test func `redirects, a proxy and raw streams have their connections from the dialer`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.target.hasSuffix("/moved") ? [.redirect(302, to: "http://b.test/")] : [.ok("hello")]
        }
        let dialer = Dialer(to: origin.port)
        let session = Session.limited()
        var request = try URLRequest(string: "http://a.test/moved")
        request.dialer = dialer.dialer
        #expect(try await session.text(request) == "hello")
        request.proxy = .through(Proxy(.http, host: "proxy.test", port: 3128))
        #expect(try await session.text(request) == "hello")
        let other = Session.limited { $0.dialer = dialer.dialer }
        let stream = other.streamTask(withHostName: "c.test", port: 25)
        stream.resume()
        try await stream.write(Data("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n".utf8), timeout: .seconds(10))
        let (data, _) = try await stream.readData(ofMinLength: 8, maxLength: 8, timeout: .seconds(10))
        #expect(data == Data("HTTP/1.1".utf8))
        stream.cancel()
        let hosts = [("a.test", 80), ("b.test", 80), ("proxy.test", 3128), ("c.test", 25)] as [(String, UInt16)]
        #expect(dialer.destinations == hosts.map { "\(HTTPOrigin(scheme: .http, host: $0.0, port: $0.1))" })
    }

    @Test func `a request's dialer or socket comes before the session's, and a dialer before a socket`() async throws {
        let socket = try UnixSocket()
        let atSocket = try ScriptedOrigin(socket.configuration) { _, _ in [.ok("socket")] }
        let first = try ScriptedOrigin { _, _ in [.ok("first")] }
        let second = try ScriptedOrigin { _, _ in [.ok("second")] }
        let session = Session.limited {
            ($0.dialer, $0.unixSocket) = (Dialer(to: first.port).dialer, socket.name)
        }
        var request = try URLRequest(string: "http://a.test/")
        #expect(try await session.text(request) == "first")
        request.dialer = Dialer(to: second.port).dialer
        for _ in 0..<2 { #expect(try await session.text(request) == "second") }
        request.unixSocket = socket.name
        #expect(try await session.text(request) == "second")
        request.dialer = nil
        #expect(try await session.text(request) == "socket")
        #expect([atSocket, first].map(\.connectionCount) == [1, 1])
    }

    @Test func `a cache keeps what dialers lead to apart`() async throws {
        let origins = try (0..<2).map { number in
            try ScriptedOrigin { _, _ in [.respond(fields: [("Cache-Control", "max-age=100")], body: "\(number)")] }
        }
        let session = Session.limited { $0.urlCache = URLCache() }
        var request = try URLRequest(string: "http://a.test/")
        let dialers = origins.map { Dialer(to: $0.port).dialer }
        for _ in 0..<2 {
            for (number, dialer) in dialers.enumerated() {
                request.dialer = dialer
                #expect(try await session.text(request) == "\(number)")
            }
        }
        #expect(origins.map(\.requests.count) == [1, 1])
    }

    // What is no connection

    @Test func `what a dialer throws is the cause of the error`() async throws {
        let request = try URLRequest(string: "http://a.test/")
        let failing = Session.limited { $0.dialer = ConnectionDialer { _ in throw Odd() } }
        let error = await failing.failure(of: request)
        #expect(dialerError(error)?.reason == .failed && dialerError(error)?.underlying is Odd)
        #expect(error?.isSafeToRepeat == true && error?.description.contains("the dialer failed: Odd()") == true)
        let own = Session.limited { $0.dialer = ConnectionDialer { _ in throw ConnectionDialerError(.used) } }
        #expect(dialerError(await own.failure(of: request))?.reason == .used)
    }

    @Test func `what is no connected stream socket is refused, and closed`() async throws {
        let request = try URLRequest(string: "http://a.test/")
        let makers: [(@Sendable () -> Int32, InvalidDescriptor)] = [
            ({ 1_000_000 }, .notOpen), ({ -1 }, .notOpen), ({ unsafe open("/dev/null", O_RDWR) }, .notASocket),
            ({ socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0) }, .notAStream),
            ({ socket(AF_INET, Self.stream, 0) }, .notConnected), ({ socket(AF_UNIX, Self.stream, 0) }, .notConnected),
            (
                {
                    let descriptor = socket(AF_INET, Self.stream, 0)
                    listen(descriptor, 1)
                    return descriptor
                }, .notConnected
            ),
        ]
        for (make, rule) in makers {
            let session = Session.limited { $0.dialer = ConnectionDialer { _ in Descriptor(owning: make()) } }
            #expect(dialerError(await session.failure(of: request))?.reason == .invalid(rule))
        }
    }

    @Test func `a server of the dialer's that speaks first is refused`() async throws {
        let pair = Pair()
        var greeting = Array("220 mail\r\n".utf8)
        #expect(unsafe send(pair.other.rawValue, &greeting, greeting.count, 0) == greeting.count)
        let session = Session.limited { $0.dialer = ConnectionDialer { _ in try pair.take() } }
        let error = await session.failure(of: try URLRequest(string: "http://a.test/"))
        #expect(error?.reason.malformation?.reason == HTTPProtocolError.unexpectedBytes.reason)
    }

    @Test func `probes of the session hold for a TCP socket, and a bad value is an error`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let session = Session.limited {
            $0.dialer = Dialer(to: origin.port).dialer
            $0.socketOptions.keepAlive?.idle = .zero
        }
        let error = await session.failure(of: try URLRequest(string: "http://a.test/"))
        guard case .invalid(.option(let failure)) = dialerError(error)?.reason else {
            Issue.record("\(error.map { "\($0)" } ?? "no error")")
            return
        }
        #expect(failure.option == .keepAlive && failure.rule == .outOfRange)
    }

    // One descriptor

    @Test func `an inherited descriptor serves the first connection`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/close" ? [.respond(fields: [("Connection", "close")])] : [.ok("hello")]
        }
        let dialer = ConnectionDialer(descriptor: try Self.connected(to: origin.port))
        let session = Session.limited { $0.dialer = dialer }
        for _ in 0..<2 { #expect(try await session.text(URLRequest(string: "http://a.test/")) == "hello") }
        #expect(dialerError(await session.failure(of: try URLRequest(string: "http://b.test/")))?.reason == .used)
        _ = try await session.text(URLRequest(string: "http://a.test/close"))
        #expect(dialerError(await session.failure(of: try URLRequest(string: "http://a.test/")))?.reason == .used)
        #expect(origin.connectionCount == 1)
    }

    @Test func `a descriptor that serves nothing is closed with its dialer`() throws {
        let pair = Pair()
        var dialer: ConnectionDialer? = ConnectionDialer(descriptor: try pair.take())
        #expect(!pair.isClosedUnused && dialer != nil)
        dialer = nil
        #expect(pair.isClosedUnused)
    }

    // Late

    /// A dialer that returns an end of a pair when it is let, whether it is cancelled or not.
    private struct Late {
        let pair = Pair()
        let calls: AsyncStream<Void>
        let opener: AsyncStream<Void>.Continuation
        let dialer: ConnectionDialer

        init() {
            let (gate, opener) = AsyncStream.makeStream(of: Void.self)
            let (calls, call) = AsyncStream.makeStream(of: Void.self)
            (self.calls, self.opener) = (calls, opener)
            dialer = ConnectionDialer { [pair] _ in
                call.yield()
                await Task.detached { for await _ in gate { break } }.value
                return try pair.take()
            }
        }
    }

    @Test func `the connect timeout ends the wait, and a late descriptor is closed`() async throws {
        let late = Late()
        let session = Session.limited {
            $0.dialer = late.dialer
            $0.timeouts.connect = .milliseconds(30)
        }
        let error = await session.failure(of: try URLRequest(string: "http://a.test/"))
        #expect(error?.reason.limit == .connect && error?.phase == .connect)
        #expect(!late.pair.isClosedUnused)
        late.opener.finish()
        #expect(await eventually { late.pair.isClosedUnused })
    }

    @Test func `a descriptor after a cancellation or the end of the session is closed`() async throws {
        for endsSession in [false, true] {
            let late = Late()
            weak var released: Session?
            do {
                let session = Session.limited { $0.dialer = late.dialer }
                released = session
                let delegate = RecordingDelegate()
                let task = session.dataTask(with: try URLRequest(string: "http://a.test/"), delegate: delegate)
                task.resume()
                #expect(await late.calls.first { _ in true } != nil)
                if endsSession { session.invalidateAndCancel() } else { task.cancel() }
                #expect(await delegate.end().error != nil)
            }
            #expect(await eventually { released == nil })
            late.opener.finish()
            #expect(await eventually { late.pair.isClosedUnused })
        }
    }

    // The egress policy

    @Test func `the peer of a dialer's socket is judged, and one without an address is refused`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("hello")] }
        let request = try URLRequest(string: "http://a.test/")
        let toLoopback = Dialer(to: origin.port)
        func session(_ policy: EgressPolicy, _ dialer: ConnectionDialer) -> Session {
            Session.limited { ($0.dialer, $0.egressPolicy) = (dialer, policy) }
        }
        #expect(try await session(.thisMachine, toLoopback.dialer).text(request) == "hello")
        let refusal = violation(await session(.publicInternet, toLoopback.dialer).failure(of: request))
        #expect(refusal?.rule == .specialPurpose(.loopback))
        #expect(refusal?.address == TransportAddress(literal: "127.0.0.1", port: origin.port))
        #expect(origin.requests.count == 1)
        let pair = Pair()
        let unnamed = ConnectionDialer { _ in try pair.take() }
        let other = violation(await session(.publicInternet, unnamed).failure(of: request))
        #expect(other?.rule == .unnamedPeer && other?.address == .unnamed)
        #expect(pair.isClosedUnused)
        let relayed = ConnectionDialer { _ in
            let pair = Pair()
            try pair.relay(to: origin.port)
            return try pair.take()
        }
        #expect(try await session(.thisMachine, relayed).text(request) == "hello")
    }

    @Test func `what the policy refuses without an address asks no dialer`() async throws {
        let dialer = Dialer(to: 1)
        var policy = EgressPolicy.publicInternet
        (policy.schemes, policy.ports) = ([.http], [80])
        let session = Session.limited { [policy] in ($0.dialer, $0.egressPolicy) = (dialer.dialer, policy) }
        for url in ["http://127.0.0.1/", "http://0x7f.1/", "https://a.test/", "http://a.test:81/"] {
            #expect(violation(await session.failure(of: try URLRequest(string: url))) != nil, "\(url)")
        }
        #expect(dialer.destinations.isEmpty)
    }
}
