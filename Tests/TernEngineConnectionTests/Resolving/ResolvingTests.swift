// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Synchronization
import TernHTTP1
import TernIO
import TernLock
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct OverrideTests {
    @Test(arguments: [
        ("a.test:80:127.0.0.1", "a.test:80:127.0.0.1"), ("A.Test:080:127.0.0.1,::1", "a.test:80:127.0.0.1,::1"),
        ("*:443:[2001:db8::1],192.0.2.1", "*:443:2001:db8::1,192.0.2.1"),
        ("+a.test:80:127.0.0.1", "a.test:80:127.0.0.1"),
        ("[::1]:80:127.0.0.1", "[::1]:80:127.0.0.1"), ("1.2.3.4:80:,127.0.0.1,", "1.2.3.4:80:127.0.0.1"),
        ("a.test:65535:::1", "a.test:65535:::1"), ("B\u{fc}cher.test:80:::1", "xn--bcher-kva.test:80:::1"),
    ])
    func `an address override reads as in curl`(text: String, description: String) throws {
        let override = try AddressOverride(text)
        #expect(override.description == description)
        #expect(try AddressOverride(description) == override)
    }

    @Test(arguments: [
        ("", InvalidOverride.missingPart("")), ("a.test", .missingPart("a.test")),
        ("a.test:80", .missingPart("a.test:80")),
        (":80:127.0.0.1", .missingPart(":80:127.0.0.1")), ("a.test:80:", .missingPart("a.test:80:")),
        ("a.test:80:,", .missingPart("a.test:80:,")), ("[::1:80:127.0.0.1", .missingPart("[::1:80:127.0.0.1")),
        ("[::1]x:80:127.0.0.1", .missingPart("[::1]x:80:127.0.0.1")), ("a.test::127.0.0.1", .port("")),
        ("a.test:0:127.0.0.1", .port("0")), ("a.test:65536:127.0.0.1", .port("65536")), ("a.test:+1:::1", .port("+1")),
        ("a.test:x:127.0.0.1", .port("x")), ("a.test:80:b.test", .address("b.test")),
        ("a.test:80:127.0.0.1,x", .address("x")), ("a.test:80:127.1", .address("127.1")),
    ])
    func `an address override that cannot be read names the part`(text: String, reason: InvalidOverride) {
        #expect(throws: reason) { try AddressOverride(text) }
    }

    @Test(arguments: [
        ("a.test:80:b.test:8080", "a.test:80:b.test:8080"), ("A.test:80:B.test", "a.test:80:b.test:"),
        (":::8080", ":::8080"), ("::b.test:", "::b.test:"), (":80:b.test:1", ":80:b.test:1"),
        ("[::1]:80:[2001:db8::1]:8080", "[::1]:80:[2001:db8::1]:8080"), ("a.test:::", "a.test:::"),
        ("::[::1]", "::[::1]:"),
    ])
    func `an endpoint override reads as in curl`(text: String, description: String) throws {
        let override = try EndpointOverride(text)
        #expect(override.description == description)
        #expect(try EndpointOverride(description) == override)
    }

    @Test(arguments: [
        ("", InvalidOverride.missingPart("")), ("a.test", .missingPart("a.test")),
        ("a.test:80", .missingPart("a.test:80")),
        ("a.test:80:[::1", .missingPart("a.test:80:[::1")), ("a.test:x:b.test:80", .port("x")),
        ("a.test:80:b.test:99999", .port("99999")), ("a.test:80:b.test:0", .port("0")), ("::b.test:8:9", .port("8:9")),
        ("::1:80:b.test:80", .port("80:b.test:80")),
    ])
    func `an endpoint override that cannot be read names the part`(text: String, reason: InvalidOverride) {
        #expect(throws: reason) { try EndpointOverride(text) }
    }

    @Test func `an override that names the host comes before one for every host, and a request's before a session's`()
        throws
    {
        func rules(_ texts: String...) throws -> NameRules {
            NameRules(addressOverrides: try texts.map { try AddressOverride($0) })
        }
        let origin = HTTPOrigin(scheme: .http, host: "a.test", port: 80)
        func answer(_ rules: NameRules?) throws -> [String]? {
            try rules?.addresses(of: origin)?.get().map(\.description)
        }
        #expect(try answer(rules("*:80:127.0.0.2", "a.test:80:127.0.0.1")) == ["127.0.0.1:80"])
        #expect(try answer(rules("a.test:81:127.0.0.1", "b.test:80:127.0.0.1")) == nil)
        let joined = NameRules.joined(try rules("a.test:80:127.0.0.3"), try rules("a.test:80:127.0.0.4"))
        #expect(try answer(joined) == ["127.0.0.3:80"])
        var family = try rules("a.test:80:::1,127.0.0.1")
        family.family = .ipv4
        #expect(try answer(family) == ["127.0.0.1:80"])
        family.addressOverrides = [try AddressOverride("a.test:80:::1")]
        #expect(throws: ResolveError(host: "a.test", reason: .unknownHost)) { try answer(family) }
        #expect(NameRules().ifAny == nil && NameRules.joined(nil, nil) == nil)
    }

    @Test func `the properties of a request are its own, and do not change its copies`() throws {
        let plain = try URLRequest(string: "http://a.test/")
        var request = plain
        request.unixSocket = try UnixSocketName(path: "/run/web.sock")
        request.egressPolicy = .thisMachine
        request.addressFamily = .ipv6
        request.addressOverrides = [try AddressOverride("a.test:80:::1")]
        request.endpointOverrides = [try EndpointOverride(":::81")]
        request.keepsAddress = true
        let copy = request
        request.unixSocket = nil
        request.egressPolicy = nil
        #expect(request.addressFamily == .ipv6 && request.addressOverrides.count == 1 && request.keepsAddress)
        request.addressFamily = nil
        (request.addressOverrides, request.endpointOverrides, request.keepsAddress) = ([], [], false)
        #expect(request.routeSettings == nil && plain.routeSettings == nil)
        #expect(copy.unixSocket?.path == "/run/web.sock" && copy.egressPolicy == .thisMachine)
        #expect(copy.addressOverrides.map(\.description) == ["a.test:80:::1"])
        #expect(copy.endpointOverrides.map(\.description) == [":::81"] && copy.addressFamily == .ipv6)
        #expect(copy.keepsAddress && !plain.keepsAddress && plain.addressFamily == nil)
    }
}

@Suite(.serialized, .timeLimit(.minutes(1))) struct ResolvingTests {
    private struct Odd: Error {}

    private static let loopback4 = IPAddress(literal: "127.0.0.1")
    private static let loopback6 = IPAddress(literal: "::1")

    /// The questions of a session, and an answer.
    private final class Answers: HostResolver {
        private let hosts = Lock<[String]>([])
        private let answer: @Sendable (Int) async throws -> [IPAddress?]

        init(_ answer: @escaping @Sendable (_ number: Int) async throws -> [IPAddress?]) { self.answer = answer }

        var asked: [String] { hosts.withLock { $0 } }

        func addresses(of host: String, family: AddressFamily) async throws -> [IPAddress] {
            let number = hosts.withLock { hosts in
                hosts.append("\(host) \(family)")
                return hosts.count
            }
            return try await answer(number).compactMap(\.self)
        }
    }

    private func resolveError(_ error: SessionError?) -> ResolveError? {
        guard case .connecting(.unresolved(let failure)) = error?.reason else { return nil }
        #expect(error?.phase == .resolve && error?.wasSent == false)
        return failure
    }

    // Resolvers

    @Test func `a resolver is asked for each connection, and for nothing that needs no resolver`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/close" ? [.respond(fields: [("Connection", "close")])] : [.ok(request.target)]
        }
        let answers = Answers { _ in [Self.loopback4] }
        let other = try AddressOverride("other.test:\(origin.port):127.0.0.1")
        let session = Session.limited { ($0.resolver, $0.addressOverrides) = (answers, [other]) }
        let address = try URLRequest(origin, host: "A.test")
        for _ in 0..<2 { #expect(try await session.text(address) == "/") }
        #expect(answers.asked == ["a.test any"])
        for host in ["127.0.0.1", "0x7f.1", "2130706433", "localhost", "b.localhost", "other.test"] {
            #expect(try await session.text(try URLRequest(origin, host: host)) == "/")
        }
        #expect(answers.asked == ["a.test any"])
        _ = try await session.text(try URLRequest(origin, "/close", host: "a.test"))
        #expect(try await session.text(address) == "/")
        #expect(answers.asked == ["a.test any", "a.test any"])
        #expect(origin.requests.first?.value(of: "Host") == "a.test:\(origin.port)")
    }

    @Test func `the next address of a resolver's answer is tried when one fails`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("hello")] }
        let session = Session.limited {
            $0.resolver = ClosureResolver { _, _ in
                [Self.loopback6, IPAddress(literal: "127.0.0.2"), Self.loopback4].compactMap(\.self)
            }
        }
        #expect(try await session.text(try URLRequest(origin, host: "a.test")) == "hello")
    }

    @Test func `an answer that is none is an error with the host and the cause`() async throws {
        let request = try URLRequest(string: "http://a.test/")
        let own = ResolveError(host: "alias.test", reason: .temporaryFailure)
        for (answers, error, hasCause) in [
            (Answers { _ in [] }, ResolveError(host: "a.test", reason: .unknownHost), false),
            (Answers { _ in [Self.loopback6] }, ResolveError(host: "a.test", reason: .unknownHost), false),
            (Answers { _ in throw Odd() }, ResolveError(host: "a.test", reason: .failure), true),
            (Answers { _ in throw own }, own, false),
        ] {
            let session = Session.limited { ($0.resolver, $0.addressFamily) = (answers, .ipv4) }
            let failure = await session.failure(of: request)
            #expect(resolveError(failure) == error)
            #expect((resolveError(failure)?.underlying is Odd) == hasCause)
            #expect(failure.map { "\($0)".contains(error.host) && !"\($0)".contains("Success") } == true)
            #expect(answers.asked == ["a.test ipv4"])
        }
    }

    @Test func `the connect timeout ends the wait for a resolver, whose task is cancelled`() async throws {
        let (isCancelled, cancelled) = AsyncStream.makeStream(of: Void.self)
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let answers = Answers { _ in
            await withTaskCancellationHandler {
                for await _ in gate { break }
            } onCancel: {
                cancelled.yield()
            }
            return [Self.loopback4]
        }
        let session = Session.limited {
            $0.resolver = answers
            $0.timeouts.connect = .milliseconds(30)
        }
        let error = await session.failure(of: try URLRequest(string: "http://a.test/"))
        #expect(error?.reason.limit == .connect && error?.phase == .resolve)
        #expect(await isCancelled.first { _ in true } != nil)
        opener.finish()
    }

    @Test func `an answer after a cancellation has no effect`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("hello")] }
        let (questions, question) = AsyncStream.makeStream(of: Void.self)
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let answers = Answers { number in
            if number > 1 { return [Self.loopback4] }
            question.yield()
            // Of no task that could be cancelled.
            await Task.detached { for await _ in gate { break } }.value
            end.yield()
            return [Self.loopback4]
        }
        let session = Session.limited { $0.resolver = answers }
        let delegate = RecordingDelegate()
        let task = session.dataTask(with: try URLRequest(origin, host: "a.test"), delegate: delegate)
        task.resume()
        #expect(await questions.first { _ in true } != nil)
        task.cancel()
        #expect(await delegate.end().error?.reason.isCancellation == true)
        opener.finish()
        #expect(await ends.first { _ in true } != nil)
        #expect(try await session.text(try URLRequest(origin, host: "a.test")) == "hello")
        #expect(origin.connectionCount == 1)
    }

    @Test func `a session that ends while its resolver is asked keeps nothing`() async throws {
        let (questions, question) = AsyncStream.makeStream(of: Void.self)
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        weak var released: Session?
        do {
            let session = Session.limited {
                $0.resolver = ClosureResolver { _, _ in
                    question.yield()
                    await Task.detached { for await _ in gate { break } }.value
                    return []
                }
            }
            released = session
            let delegate = RecordingDelegate()
            session.dataTask(with: try URLRequest(string: "http://a.test/"), delegate: delegate).resume()
            #expect(await questions.first { _ in true } != nil)
            session.invalidateAndCancel()
            #expect(await delegate.end().error != nil)
        }
        #expect(await eventually { released == nil })
        opener.finish()
    }

    @Test func `the system's resolver may be asked by another`() async throws {
        #expect(try await SystemResolver().addresses(of: "localhost", family: .any).count == 2)
        #expect(try await SystemResolver().addresses(of: "localhost", family: .ipv6) == [Self.loopback6])
        await #expect(throws: ResolveError.self) {
            try await SystemResolver().addresses(of: "nope.invalid", family: .any)
        }
    }

    @Test func `a name that is resolved to a refused address the second time is refused`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.respond(fields: [("Connection", "close")], body: "hello")] }
        let answers = Answers { $0 == 1 ? [Self.loopback4] : [IPAddress(literal: "10.0.0.1"), Self.loopback6] }
        var policy = EgressPolicy.publicInternet
        policy.allowedNetworks = [try IPNetwork("127.0.0.1")]
        let session = Session.limited { ($0.resolver, $0.egressPolicy) = (answers, policy) }
        let request = try URLRequest(origin, host: "a.test")
        #expect(try await session.text(request) == "hello")
        let error = await session.failure(of: request)
        guard case .connecting(.egressRefused(let violation)) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(violation.rule == .specialPurpose(.privateUse) && violation.host == "a.test")
        #expect(violation.address == TransportAddress(literal: "10.0.0.1", port: origin.port))
        #expect(origin.connectionCount == 1)
    }

    // Overrides

    @Test func `an override has the addresses of a host, in its order, and of an address as well`() async throws {
        let origin = try ScriptedOrigin { _, request in [.ok(request.value(of: "Host") ?? "")] }
        let port = origin.port
        let session = Session.limited {
            $0.addressOverrides = ["a.test:\(port):127.0.0.2,127.0.0.1", "*:\(port):127.0.0.1", "b.test:\(port):::1"]
                .compactMap { try? AddressOverride($0) }
        }
        for host in ["a.test", "other.test", "192.0.2.1", "[2001:db8::1]"] {
            #expect(try await session.text(try URLRequest(origin, host: host)) == "\(host):\(port)")
        }
        var request = try URLRequest(origin, host: "b.test")
        guard case .connecting(.unreachable) = await session.failure(of: request)?.reason else {
            Issue.record("an address that does not listen was connected to")
            return
        }
        request.addressOverrides = [try AddressOverride("b.test:\(port):127.0.0.1")]
        #expect(try await session.text(request) == "b.test:\(port)")
        #expect(origin.connectionCount == 5)
        for _ in 0..<2 { #expect(try await session.text(request) == "b.test:\(port)") }
        #expect(origin.connectionCount == 5)
    }

    @Test func `an endpoint override leaves the request and the name in the certificate as they are`() async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: authority.issue(LeafRequest(dnsNames: ["a.test"]))) { _, request in
            [.ok(request.value(of: "Host") ?? "")]
        }
        let port = origin.port
        let session = try Session.trusting(authority) {
            $0.endpointOverrides = [
                EndpointOverride(host: "b.test", port: nil, targetHost: "127.0.0.1", targetPort: port),
                EndpointOverride(host: "a.test", port: 443, targetHost: "target.test", targetPort: port),
                EndpointOverride(host: nil, port: nil, targetHost: nil, targetPort: 1),
            ]
            $0.addressOverrides = [
                AddressOverride(host: "target.test", port: port, addresses: [Self.loopback4].compactMap(\.self))
            ]
        }
        for _ in 0..<2 { #expect(try await session.text(try URLRequest(string: "https://A.test/")) == "a.test") }
        #expect(origin.observations.handshakes.map(\.serverName) == ["a.test"])
        let error = await session.failure(of: try URLRequest(string: "https://b.test/"))
        #expect(error?.reason.trustFailure?.host == "b.test")
        guard
            case .connecting(.unreachable(let failure)) =
                await session.failure(of: try URLRequest(string: "http://127.0.0.1/"))?.reason
        else {
            Issue.record("the last override was not used")
            return
        }
        #expect(failure.attempts.map(\.address.description) == ["127.0.0.1:1"])
    }

    @Test func `a request's endpoint override comes first, and its connection is its own`() async throws {
        let origins = try (0..<2).map { number in try ScriptedOrigin { _, _ in [.ok("\(number)")] } }
        let session = Session.limited {
            $0.endpointOverrides = [
                EndpointOverride(host: "a.test", port: 80, targetHost: "127.0.0.1", targetPort: origins[0].port)
            ]
        }
        var request = try URLRequest(string: "http://a.test/")
        #expect(try await session.text(request) == "0")
        request.endpointOverrides = [
            EndpointOverride(host: nil, port: nil, targetHost: "127.0.0.1", targetPort: origins[1].port)
        ]
        #expect(try await session.text(request) == "1")
        request.endpointOverrides = []
        #expect(try await session.text(request) == "0")
        #expect(origins.map(\.connectionCount) == [1, 1])
    }

    @Test func `a socket takes precedence over overrides`() async throws {
        let socket = try UnixSocket()
        let origin = try ScriptedOrigin(socket.configuration) { _, _ in [.ok("socket")] }
        let session = Session.limited {
            $0.unixSocket = socket.name
            $0.endpointOverrides = [EndpointOverride(host: nil, port: nil, targetHost: "127.0.0.1", targetPort: 1)]
            $0.addressOverrides = [AddressOverride(host: nil, port: nil, addresses: [])]
        }
        #expect(try await session.text(try URLRequest(string: "http://a.test/")) == "socket")
        #expect(origin.connectionCount == 1)
    }

    @Test func `raw streams and the session's own requests use overrides of addresses`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("hello")] }
        let override = AddressOverride(host: "a.test", port: nil, addresses: [Self.loopback4].compactMap(\.self))
        var configuration = SessionConfiguration()
        configuration.addressOverrides = [override]
        let session = Session.limited { $0.addressOverrides = [override] }
        let stream = session.streamTask(withHostName: "a.test", port: Int(origin.port))
        stream.resume()
        try await stream.write(Data("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n".utf8), timeout: nil)
        #expect(await origin.waitFor { $0.requestCount == 1 })
        let request = try URLRequest(origin, host: "a.test")
        configuration.endpointOverrides = [
            EndpointOverride(host: nil, port: nil, targetHost: "b.test", targetPort: nil)
        ]
        for side in [SideSession.forRevocation(configuration), .forReports(configuration)] {
            let reply = await withCheckedContinuation { continuation in
                side.send(request, sizeLimit: 100, timeLimit: .seconds(30)) { continuation.resume(returning: $0) }
            }
            #expect(reply?.statusCode == 200)
        }
    }

    @Test func `a response of an overridden host answers no request for the host itself`() async throws {
        let origins = try (0..<2).map { number in
            try ScriptedOrigin { _, _ in [.respond(fields: [("Cache-Control", "max-age=60")], body: "\(number)")] }
        }
        let cache = URLCache(memoryCapacity: 1 << 20)
        let sessions = origins.map { origin in
            Session.limited {
                $0.urlCache = cache
                $0.endpointOverrides = [
                    EndpointOverride(host: "a.test", port: 80, targetHost: "127.0.0.1", targetPort: origin.port)
                ]
            }
        }
        for _ in 0..<2 {
            for (number, session) in sessions.enumerated() {
                #expect(try await session.text(try URLRequest(string: "http://a.test/")) == "\(number)")
            }
        }
        #expect(origins.map(\.connectionCount) == [1, 1])
        #expect(origins.map(\.requests.count) == [1, 1])
    }

    // Families

    @Test func `a family is that of the session or of the request, and part of the connection's key`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("v4")] }
        let other = try ScriptedOrigin.overIPv6(origin.port) { _, _ in [.ok("v6")] }
        for (family, answer) in [(AddressFamily.any, "v4"), (.ipv4, "v4"), (.ipv6, "v6")] {
            let session = Session.limited { $0.addressFamily = family }
            #expect(try await session.text(try URLRequest(origin, host: "localhost")) == answer)
        }
        let session = Session.limited { $0.addressFamily = .ipv4 }
        var request = try URLRequest(origin, host: "localhost")
        for (family, answer) in [(AddressFamily?.none, "v4"), (.ipv6, "v6"), (.ipv4, "v4"), (.any, "v4")] {
            request.addressFamily = family
            #expect(try await session.text(request) == answer)
        }
        request = try URLRequest(other)
        let error = resolveError(await session.failure(of: request))
        #expect(error?.reason == .otherFamily && error?.host == "::1")
        request.addressFamily = .any
        #expect(try await session.text(request) == "v6")
    }

    // Later hops

    @Test func `a later hop connects to the address of the first, if the request says so`() async throws {
        let script: @Sendable (String) -> ScriptedOrigin.Script = { name in
            { _, request in
                request.target == "/"
                    ? [.redirect(to: "/next", fields: [("Connection", "close")])]
                    : [.respond(fields: [("Connection", "close")], body: name)]
            }
        }
        let origin = try ScriptedOrigin(script: script("first"))
        let other = try ScriptedOrigin.overIPv6(origin.port, script("second"))
        for keepsAddress in [false, true] {
            let answers = Answers { $0 % 2 == 1 ? [Self.loopback4] : [Self.loopback6] }
            let session = Session.limited { $0.resolver = answers }
            var request = try URLRequest(origin, host: "a.test")
            request.keepsAddress = keepsAddress
            #expect(try await session.text(request) == (keepsAddress ? "first" : "second"))
            #expect(answers.asked.count == (keepsAddress ? 1 : 2))
        }
        #expect(other.connectionCount == 1)
    }

    @Test func `the address of another endpoint is kept for no host`() async throws {
        let target = try ScriptedOrigin { _, request in [.ok(request.target)] }
        let location = "http://a.test:\(target.port)/next"
        let origin = try ScriptedOrigin { _, _ in [.redirect(to: location)] }
        let answers = Answers { _ in [Self.loopback4] }
        let session = Session.limited { $0.resolver = answers }
        var request = try URLRequest(string: "http://a.test/")
        request.keepsAddress = true
        request.endpointOverrides = [
            EndpointOverride(host: "a.test", port: 80, targetHost: "127.0.0.1", targetPort: origin.port)
        ]
        #expect(try await session.text(request) == "/next")
        #expect(answers.asked == ["a.test any"])
    }
}
