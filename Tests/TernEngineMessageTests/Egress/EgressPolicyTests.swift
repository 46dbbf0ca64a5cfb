// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernIO
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(1))) struct EgressPolicyTests {
    /// One range of addresses and its purpose; nil for the public internet.
    struct Range: Sendable {
        let network: String
        let purpose: SpecialPurpose?

        init(_ network: String, _ purpose: SpecialPurpose?) { (self.network, self.purpose) = (network, purpose) }
    }

    /// IANA's registries of special-purpose addresses (RFC 6890 and its updates), all entries of October 2024, in their
    /// order; then what other registries and documents say.
    ///
    /// Two differ from the column "globally reachable": PCP, TURN and SRP anycast (192.0.0.9, 192.0.0.10, 2001:1::1 to
    /// ::3), AMT and AS112 over IPv6 and the identifiers of ORCHIDv2 and DRIP are refused with the block that they are
    /// in. They end at the nearest device, or at none.
    static let ranges: [Range] = [
        Range("0.0.0.0/8", .unspecified), Range("0.0.0.0/32", .unspecified), Range("10.0.0.0/8", .privateUse),
        Range("100.64.0.0/10", .shared), Range("127.0.0.0/8", .loopback), Range("169.254.0.0/16", .linkLocal),
        Range("172.16.0.0/12", .privateUse), Range("192.0.0.0/24", .protocolAssignment),
        Range("192.0.0.0/29", .protocolAssignment), Range("192.0.0.8/32", .protocolAssignment),
        Range("192.0.0.9/32", .protocolAssignment), Range("192.0.0.10/32", .protocolAssignment),
        Range("192.0.0.170/32", .protocolAssignment), Range("192.0.0.171/32", .protocolAssignment),
        Range("192.0.2.0/24", .documentation), Range("192.31.196.0/24", nil), Range("192.52.193.0/24", nil),
        Range("192.88.99.0/24", .relay), Range("192.168.0.0/16", .privateUse), Range("192.175.48.0/24", nil),
        Range("198.18.0.0/15", .benchmarking), Range("198.51.100.0/24", .documentation),
        Range("203.0.113.0/24", .documentation), Range("240.0.0.0/4", .reserved),
        Range("255.255.255.255/32", .broadcast),
        Range("224.0.0.0/4", .multicast),

        Range("::1/128", .loopback), Range("::/128", .unspecified), Range("::ffff:127.0.0.0/104", .loopback),
        Range("64:ff9b::7f00:0/104", .loopback), Range("64:ff9b::808:808/128", nil),
        Range("64:ff9b:1::/48", .localTranslation), Range("100::/64", .discard), Range("100:0:0:1::/64", .discard),
        Range("2001::/23", .protocolAssignment), Range("2001::/32", .teredo),
        Range("2001:1::1/128", .protocolAssignment),
        Range("2001:1::2/128", .protocolAssignment), Range("2001:1::3/128", .protocolAssignment),
        Range("2001:2::/48", .benchmarking), Range("2001:3::/32", .protocolAssignment),
        Range("2001:4:112::/48", .protocolAssignment), Range("2001:10::/28", .protocolAssignment),
        Range("2001:20::/28", .protocolAssignment), Range("2001:30::/28", .protocolAssignment),
        Range("2001:db8::/32", .documentation), Range("2002:7f00::/24", .loopback), Range("2002:808::/32", nil),
        Range("2620:4f:8000::/48", nil), Range("3fff::/20", .documentation), Range("5f00::/16", .segmentRouting),
        Range("fc00::/7", .uniqueLocal), Range("fe80::/10", .linkLocal), Range("fec0::/10", .siteLocal),
        Range("ff00::/8", .multicast), Range("::127.0.0.0/104", .loopback), Range("::2/128", .unspecified),
        // Not allocated to servers (RFC 4291 §2.4, IANA's IPv6 address space): all but 2000::/3.
        Range("200::/7", .reserved), Range("4000::/3", .reserved), Range("e000::/4", .reserved),
        Range("64:ff9c::/32", .reserved),
        Range("2000::/16", nil), Range("2001:200::/23", nil), Range("2a00::/12", nil), Range("8.8.8.0/24", nil),
        // Metadata of providers.
        Range("169.254.169.254/32", .cloudMetadata), Range("169.254.170.2/32", .cloudMetadata),
        Range("168.63.129.16/32", .cloudMetadata), Range("100.100.100.200/32", .cloudMetadata),
        Range("192.0.0.192/32", .cloudMetadata), Range("fd00:ec2::254/128", .cloudMetadata),
        Range("fd20:ce::254/128", .cloudMetadata), Range("fe80::a9fe:a9fe/128", .cloudMetadata),
    ]

    /// The number that is `offset` above the address, with the carry; nil beyond the ends.
    private static func address(_ address: IPAddress, plus offset: Int64) -> IPAddress? {
        let value = address.value
        if !value.isIPv6 {
            guard let bits = UInt32(exactly: Int64(value.low) + offset) else { return nil }
            return IPAddress(v4: bits)
        }
        let low = value.low &+ UInt64(bitPattern: offset)
        let hasCarry = offset > 0 ? low < value.low : low > value.low
        if !hasCarry { return IPAddress(.init(isIPv6: true, high: value.high, low: low)) }
        let (high, isOver) =
            offset > 0 ? value.high.addingReportingOverflow(1) : value.high.subtractingReportingOverflow(1)
        return isOver ? nil : IPAddress(.init(isIPv6: true, high: high, low: low))
    }

    private static func last(of network: IPNetwork) -> IPAddress {
        let (value, length) = (network.address.value, UInt64(network.prefixLength))
        if !value.isIPv6 {
            return IPAddress(v4: UInt32(value.low) | UInt32(truncatingIfNeeded: UInt64(UInt32.max) >> length))
        }
        return IPAddress(
            .init(
                isIPv6: true, high: value.high | UInt64.max >> min(length, 64),
                low: value.low | UInt64.max >> (length < 64 ? 0 : length - 64)))
    }

    /// The purpose of the most specific range of the table; `.some(nil)` for a public one, and nil for none.
    private static func purpose(of address: IPAddress) throws -> SpecialPurpose?? {
        try ranges.map { (try IPNetwork($0.network), $0.purpose) }
            .filter { $0.0.contains(address) && $0.0.address.isIPv6 == address.isIPv6 }
            .max { $0.0.prefixLength < $1.0.prefixLength }.map(\.1)
    }

    @Test(arguments: ranges)
    func `the first and the last address of a registered range have its purpose, and those outside another`(
        range: Range
    ) throws {
        let network = try IPNetwork(range.network)
        let last = Self.last(of: network)
        for address in [network.address, last] {
            let expected = try #require(try Self.purpose(of: address))
            #expect(SpecialPurpose(address) == expected, "\(address)")
            let rule = EgressPolicy.publicInternet.rule(against: address, port: 80)
            #expect(rule == expected.map(EgressViolation.Rule.specialPurpose), "\(address)")
        }
        #expect(network.contains(network.address) && network.contains(last))
        for outside in [Self.address(network.address, plus: -1), Self.address(last, plus: 1)].compactMap(\.self) {
            #expect(!network.contains(outside))
            if outside.isIPv6 {
                if let expected = try Self.purpose(of: outside) {
                    #expect(SpecialPurpose(outside) == expected, "\(outside)")
                }
            } else {
                // What no range of IPv4 names is public.
                #expect(SpecialPurpose(outside) == (try Self.purpose(of: outside) ?? nil), "\(outside)")
            }
        }
    }

    @Test func `addresses just outside of ranges are public where the next range does not begin`() throws {
        for literal in [
            "1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
            "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0",
            "192.0.3.0",
            "192.88.98.255", "192.88.100.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0",
            "198.51.99.255", "198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255", "168.63.129.15",
            "168.63.129.17", "2001:200::", "2001:db7:ffff::", "2001:db9::", "2003::", "2002:808::", "3ffe:ffff::",
            "2000::", "3fff:1000::", "64:ff9b::1.1.1.1", "::ffff:1.1.1.1", "2001:4860:4860::8888",
        ] {
            let address = try #require(IPAddress(literal: literal))
            #expect(SpecialPurpose(address) == nil, "\(literal)")
        }
    }

    /// As a mapped and as a translated address, and in 6to4.
    private static func forms(of bits: UInt32) -> [IPAddress] {
        let bits64 = UInt64(bits)
        return [
            IPAddress(.init(isIPv6: true, high: 0, low: 0xFFFF_0000_0000 | bits64)),
            IPAddress(.init(isIPv6: true, high: 0x0064_FF9B_0000_0000, low: bits64)),
            IPAddress(.init(isIPv6: true, high: 0x2002_0000_0000_0000 | bits64 << 16 | 7, low: 0x1234)),
        ]
    }

    @Test func `an IPv6 form of an IPv4 address has the verdict of that address`() throws {
        var random = SeededGenerator(seed: 6890)
        var listed = EgressPolicy.publicInternet
        listed.allowedNetworks = [try IPNetwork("10.128.0.0/9")]
        listed.deniedNetworks = [try IPNetwork("128.0.0.0/2"), try IPNetwork("10.192.0.0/10")]
        var only = EgressPolicy(reach: .allowedNetworks)
        only.allowedNetworks = [try IPNetwork("0.0.0.0/1")]
        let firsts = try Self.ranges.map { try IPNetwork($0.network).address }.filter { !$0.isIPv6 }
        var refused = 0
        for _ in 0..<4000 {
            var bits = random.next(upperBound: UInt32.max)
            // Half of them near the borders.
            if Bool.random(using: &random), let first = firsts.randomElement(using: &random) {
                bits = UInt32(truncatingIfNeeded: first.value.low) &+ bits % 512 &- 256
            }
            let address = IPAddress(v4: bits)
            for policy in [.publicInternet, listed, only] {
                let rule = policy.rule(against: address, port: 443)
                if rule != nil { refused += 1 }
                for form in Self.forms(of: bits) {
                    #expect(policy.rule(against: form, port: 443) == rule, "\(form)")
                }
            }
        }
        #expect((1000...11000).contains(refused))
    }

    @Test func `lists are judged in their order, and ports and schemes before them`() throws {
        func rule(_ policy: EgressPolicy, _ literal: String, port: UInt16 = 443) throws -> EgressViolation.Rule? {
            policy.rule(against: try #require(IPAddress(literal: literal)), port: port)
        }
        var policy = EgressPolicy.publicInternet
        policy.allowedNetworks = [try IPNetwork("10.1.0.0/16"), try IPNetwork("2001:db8::/32")]
        policy.deniedNetworks = [try IPNetwork("10.1.2.0/24"), try IPNetwork("8.8.8.8")]
        policy.ports = [443, 8443]
        #expect(try rule(policy, "10.1.1.1") == nil)
        #expect(try rule(policy, "2001:db8::1") == nil)
        #expect(try rule(policy, "1.1.1.1", port: 8443) == nil)
        #expect(try rule(policy, "1.1.1.1", port: 80) == .port(80))
        #expect(try rule(policy, "10.1.2.3") == .deniedNetwork(IPNetwork("10.1.2.0/24")))
        #expect(try rule(policy, "8.8.8.8") == .deniedNetwork(IPNetwork("8.8.8.8")))
        #expect(try rule(policy, "10.2.0.1") == .specialPurpose(.privateUse))
        #expect(try rule(policy, "::a01:101") == nil)
        #expect(try rule(.thisMachine, "127.1.2.3") == nil && rule(.thisMachine, "::1") == nil)
        #expect(try rule(.thisMachine, "1.1.1.1") == .notAllowed)
        #expect(EgressPolicy.thisMachine.allowsUnixSockets && !EgressPolicy.publicInternet.allowsUnixSockets)
        policy.schemes = [.https]
        let plain = HTTPOrigin(scheme: .http, host: "a.test", port: 443)
        #expect(policy.rule(againstUnresolved: plain) == .scheme(.http))
        #expect(policy.rule(againstUnresolved: HTTPOrigin(scheme: .https, host: "a.test", port: 443)) == nil)
        #expect(
            policy.rule(againstUnresolved: HTTPOrigin(scheme: .https, host: "0x7f.1", port: 443))
                == .specialPurpose(.loopback))
    }

    @Test(arguments: [
        // Teredo: its server 10.0.0.1, and a client 10.0.0.1 with inverted bits.
        "2001:0:a00:1::", "2001:0:808:808:0:0:f5ff:fffe",
        // RFC 6052 §2.2 with a prefix of 48, 56, 64 and 96 bits.
        "64:ff9b:1:a00:0:100::", "64:ff9b:1:a:0:1::", "64:ff9b:1:0:a:0:100:0", "64:ff9b:1::a00:1",
        "::ffff:10.0.0.1", "::10.0.0.1", "64:ff9b::10.0.0.1", "2002:a00:1::",
    ])
    func `a denied network refuses what contains one of its addresses`(literal: String) throws {
        var policy = EgressPolicy(reach: .everywhere)
        policy.deniedNetworks = [try IPNetwork("10.0.0.1")]
        let address = try #require(IPAddress(literal: literal))
        #expect(policy.rule(against: address, port: 80) == .deniedNetwork(try IPNetwork("10.0.0.1")))
        policy.deniedNetworks = [try IPNetwork("10.0.0.2")]
        #expect(policy.rule(against: address, port: 80) == nil)
    }

    @Test func `a guard keeps the permitted addresses, and names the first refused one if there is none`() throws {
        let origin = HTTPOrigin(scheme: .http, host: "a.test", port: 80)
        func addresses(_ literals: String...) -> [TransportAddress] {
            literals.compactMap { TransportAddress(literal: $0, port: 80) }
        }
        func check(_ session: EgressPolicy?, _ request: EgressPolicy?) -> EgressGuard? {
            EgressGuard(session: session, request: request, origin: origin, endpoint: origin, isForwarded: false)
        }
        #expect(check(nil, nil) == nil)
        var denying = EgressPolicy(reach: .everywhere)
        denying.deniedNetworks = [try IPNetwork("8.0.0.0/8")]
        for egress in [check(.publicInternet, denying), check(denying, .publicInternet)] {
            let egress = try #require(egress)
            #expect(
                try egress.permitted(addresses("127.0.0.1", "1.1.1.1", "8.8.8.8", "::1", "2a00::1"))
                    == addresses("1.1.1.1", "2a00::1"))
            // The second answer of a name that is rebound is judged as the first.
            #expect(
                throws: EgressViolation(
                    rule: .specialPurpose(.privateUse), address: addresses("10.0.0.1").first, host: "a.test")
            ) { try egress.permitted(addresses("10.0.0.1", "8.8.8.8")) }
        }
    }

    @Test func `of an origin behind another server an address is judged before a name is resolved`() throws {
        let proxy = HTTPOrigin(scheme: .http, host: "proxy.test", port: 3128)
        for (host, rule) in [
            ("127.0.0.1", EgressViolation.Rule.specialPurpose(.loopback)), ("0x7f.1", .specialPurpose(.loopback)),
            ("[::ffff:10.0.0.1]", .specialPurpose(.privateUse)), ("a.test", nil),
        ] {
            let origin = HTTPOrigin(scheme: .https, host: host, port: 443)
            let egress = EgressGuard(
                session: .publicInternet, request: nil, origin: origin, endpoint: proxy, isForwarded: true)
            let violation = Result { () throws(EgressViolation) in try egress?.checkUnresolved() }.violation
            #expect(violation == rule.map { EgressViolation(rule: $0, address: nil, host: origin.host) })
        }
    }
}

extension Result where Failure == EgressViolation {
    fileprivate var violation: EgressViolation? { if case .failure(let violation) = self { violation } else { nil } }
}

/// Over sockets of loopback, which `publicInternet` refuses unless they are in a list.
@Suite(.serialized, .timeLimit(.minutes(1))) struct EgressTests {
    private func violation(_ error: SessionError?) -> EgressViolation? {
        guard case .connecting(.egressRefused(let violation)) = error?.reason else { return nil }
        #expect(error?.phase == .connect)
        #expect(error?.isSafeToRepeat == true)
        #expect(error?.reason.kind == .egressRefused)
        return violation
    }

    private static func policy(allowing networks: String...) throws -> EgressPolicy {
        var policy = EgressPolicy.publicInternet
        policy.allowedNetworks = try networks.map { try IPNetwork($0) }
        return policy
    }

    @Test(arguments: [
        "127.0.0.1", "localhost", "0x7f.1", "2130706433", "017700000001", "127.1", "[::ffff:127.0.0.1]", "0", "0.0.0.0",
        "[::ffff:7f00:1]", "a.localhost", "127.0.0.1.", "LOCALHOST",
    ])
    func `no spelling of a refused address is connected to`(host: String) async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok()] }
        let session = Session.limited { $0.egressPolicy = .publicInternet }
        let error = try #require(await session.failure(of: try URLRequest(string: origin.url("/", host: host))))
        #expect(origin.connectionCount == 0)
        if host == "127.0.0.1." { return }
        let refusal = try #require(violation(error), "\(error)")
        #expect(refusal.rule == .specialPurpose(host.hasPrefix("0") && !host.contains("7") ? .unspecified : .loopback))
        #expect(refusal.address?.port == origin.port)
        #expect(refusal.host == error.host)
        #expect(error.description.contains("the egress policy refuses \(refusal.address.map { "\($0)" } ?? "")"))
    }

    @Test(arguments: [
        "127.0.0.1", "[::ffff:127.0.0.1]", "0", "2130706433", "0x7f.1", "169.254.169.254",
        "[fd00:ec2::254]",
        "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "10.0.0.1", "[::127.0.0.1]",
    ])
    func `a redirect to a refused address is not followed`(host: String) async throws {
        let target = try ScriptedOrigin { _, _ in [.ok("secret")] }
        let location = target.url("/", host: host)
        let origin = try ScriptedOrigin.overIPv6 { _, _ in [.redirect(to: location)] }
        let policy = try Self.policy(allowing: "::1")
        let session = Session.limited { $0.egressPolicy = policy }
        let error = try #require(await session.failure(of: try URLRequest(origin)))
        #expect(violation(error) != nil, "\(error)")
        #expect(origin.connectionCount == 1 && target.connectionCount == 0)
    }

    @Test func `a redirect to the other loopback address is refused, and to an allowed one followed`() async throws {
        let target = try ScriptedOrigin.overIPv6 { _, _ in [.ok("v6")] }
        let location = target.url("/")
        let origin = try ScriptedOrigin { _, _ in [.redirect(to: location)] }
        let policies = [try Self.policy(allowing: "127.0.0.1"), try Self.policy(allowing: "127.0.0.1", "::1")]
        let refusing = Session.limited { $0.egressPolicy = policies[0] }
        let refusal = violation(await refusing.failure(of: try URLRequest(origin)))
        #expect(refusal?.rule == .specialPurpose(.loopback) && refusal?.host == "::1")
        let following = Session.limited { $0.egressPolicy = policies[1] }
        #expect(try await following.text(try URLRequest(origin)) == "v6")
    }

    @Test func `of a host's addresses only the permitted ones are tried`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("v4")] }
        let other = try ScriptedOrigin.overIPv6(origin.port) { _, _ in [.ok("v6")] }
        for (network, answer) in [("127.0.0.1", "v4"), ("::1", "v6")] {
            let policy = try Self.policy(allowing: network)
            let session = Session.limited { $0.egressPolicy = policy }
            #expect(try await session.text(try URLRequest(origin, host: "localhost")) == answer)
        }
        #expect(origin.connectionCount == 1 && other.connectionCount == 1)
    }

    @Test func `ports and schemes are refused before the host is resolved`() async throws {
        var policy = EgressPolicy(reach: .everywhere)
        (policy.ports, policy.schemes) = ([443], [.https])
        let session = Session.limited { $0.egressPolicy = policy }
        for (url, rule) in [
            ("http://no-such-host.invalid/", EgressViolation.Rule.scheme(.http)),
            ("https://no-such-host.invalid:8443/", .port(8443)), ("http://127.0.0.1:443/", .scheme(.http)),
            ("https://127.0.0.1:1/", .port(1)),
        ] {
            let refusal = violation(await session.failure(of: try URLRequest(string: url)))
            #expect(refusal?.rule == rule, "\(url)")
            #expect(refusal?.address == nil)
        }
    }

    @Test func `a Unix domain socket is refused unless the policy allows it`() async throws {
        let socket = try UnixSocket()
        let origin = try ScriptedOrigin(socket.configuration) { _, _ in [.ok("hello")] }
        var allowing = EgressPolicy.publicInternet
        allowing.allowsUnixSockets = true
        for (policy, isRefused) in [(EgressPolicy.publicInternet, true), (allowing, false), (.thisMachine, false)] {
            let session = Session.limited { ($0.egressPolicy, $0.unixSocket) = (policy, socket.name) }
            let error = await session.failure(of: try URLRequest(string: "http://a.test/"))
            #expect((violation(error)?.rule == .unixSocket) == isRefused && (error == nil) == !isRefused)
        }
        #expect(origin.connectionCount == 2)
    }

    @Test func `a request's policy refuses besides the session's, and uses no connection of another`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/away" ? [.redirect(to: "/")] : [.ok("hello")]
        }
        let session = Session.limited()
        let plain = try URLRequest(origin)
        #expect(try await session.text(plain) == "hello")
        var strict = plain
        strict.egressPolicy = .publicInternet
        #expect(violation(await session.failure(of: strict))?.rule == .specialPurpose(.loopback))
        var lenient = try URLRequest(origin, "/away")
        lenient.egressPolicy = .thisMachine
        #expect(lenient.egressPolicy == .thisMachine && plain.egressPolicy == nil)
        for _ in 0..<2 { #expect(try await session.text(lenient) == "hello") }
        #expect(try await session.text(plain) == "hello")
        // One for each policy.
        #expect(origin.connectionCount == 2)
        let guarded = Session.limited { $0.egressPolicy = .publicInternet }
        #expect(violation(await guarded.failure(of: lenient))?.rule == .specialPurpose(.loopback))
    }

    @Test func `a request keeps the session's socket beside its policy, and its own socket`() async throws {
        let (socket, other) = (try UnixSocket(), try UnixSocket())
        let origins = [
            try ScriptedOrigin(socket.configuration) { _, _ in [.ok("session's")] },
            try ScriptedOrigin(other.configuration) { _, _ in [.ok("request's")] },
        ]
        let session = Session.limited { $0.unixSocket = socket.name }
        var request = try URLRequest(string: "http://a.test/")
        request.egressPolicy = .thisMachine
        #expect(try await session.text(request) == "session's")
        request.unixSocket = other.name
        #expect(try await session.text(request) == "request's")
        request.egressPolicy = .publicInternet
        #expect(violation(await session.failure(of: request))?.rule == .unixSocket)
        request.unixSocket = nil
        #expect(request.egressPolicy == .publicInternet)
        #expect(origins.map(\.connectionCount) == [1, 1])
    }

    @Test func `a raw stream is judged as a request`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.hold] }
        let session = Session.limited { $0.egressPolicy = .publicInternet }
        let stream = session.streamTask(withHostName: "localhost", port: Int(origin.port))
        stream.resume()
        let error = await #expect(throws: SessionError.self) { try await stream.write(Data([1]), timeout: nil) }
        #expect(violation(error)?.rule == .specialPurpose(.loopback), "\(String(describing: error))")
        #expect(origin.connectionCount == 0)
    }

    @Test func `what the session asks for itself is judged, too`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.ok("answer")] }
        let request = try URLRequest(origin)
        var configuration = SessionConfiguration()
        for policy in [EgressPolicy.publicInternet, .thisMachine] {
            configuration.egressPolicy = policy
            for side in [SideSession.forRevocation(configuration), .forReports(configuration)] {
                let reply = await withCheckedContinuation { continuation in
                    side.send(request, sizeLimit: 100, timeLimit: .seconds(30)) { continuation.resume(returning: $0) }
                }
                #expect((reply == nil) == (policy == .publicInternet))
            }
        }
        #expect(origin.connectionCount == 2)
    }

    @Test func `a refusal is not waited for, nor repeated`() async throws {
        let session = Session.limited { ($0.egressPolicy, $0.waitsForConnectivity) = (.publicInternet, true) }
        let error = await session.failure(of: try URLRequest(string: "http://127.0.0.1:9/"))
        #expect(violation(error)?.rule == .specialPurpose(.loopback))
    }
}
