// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Dialogues: events, and the next actions. Times are small numbers.
@Suite struct DialTests {
    private static let plain = HTTPOrigin(scheme: .http, host: "a.test", port: 80)
    private static let secure = HTTPOrigin(scheme: .https, host: "a.test", port: 443)

    private let address = TransportAddress(literal: "192.0.2.1", port: 80)
    private let other = TransportAddress(literal: "192.0.2.2", port: 80)

    private func dial(_ route: Route) -> Dial { Dial(route, address: route.address, now: at(1)) }

    private func at(_ moment: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: moment) }

    @Test(
        arguments: [
            (plain, nil, "resolve connect"), (secure, nil, "prepare resolve connect secure"),
            (HTTPOrigin(scheme: .http, host: "127.0.0.1", port: 80), nil, "connect"),
            (HTTPOrigin(scheme: .https, host: "::1", port: 443), nil, "prepare connect secure"),
            (plain, "/run/web.sock", "connect"), (secure, "/run/web.sock", "prepare connect secure"),
        ] as [(HTTPOrigin, String?, String)])
    func `the route says which steps there are`(origin: HTTPOrigin, path: String?, words: String) throws {
        let route = Route(to: origin, try path.map { RouteSettings(.init(socket: try UnixSocketName(path: $0))) })
        let steps = Dial.steps(along: route, isResolved: route.address != nil)
        #expect(steps.map(\.word).joined(separator: " ") == words)
    }

    @Test func `plain: resolve, connect, open`() throws {
        let (address, other) = (try #require(address), try #require(other))
        var dial = dial(Route(to: Self.plain))
        #expect(dial.begin().words == "resolve a.test:80")
        #expect(dial.resolved([address, other], at: at(2)).words == "connect")
        let addresses = dial.addresses
        #expect(addresses == [address, other])
        let ours = TransportAddress(literal: "192.0.2.9", port: 50_000)
        #expect(dial.connected(to: other, from: ours, at: at(3)).words == "open")
        let (timeline, remote, local) = (dial.timeline, dial.remoteAddress, dial.localAddress)
        #expect(local == ours)
        #expect(timeline == Dial.Timeline(began: at(1), resolved: at(2), connected: at(3), secured: nil))
        #expect(remote == other)
    }

    @Test func `by a dialer: its connection takes the place of an address`() throws {
        var settings = RouteSettings.Parts(dialer: ConnectionDialer { _ in throw RouteFailure() })
        settings.socket = try UnixSocketName(path: "/run/web.sock")
        var dial = dial(Route(to: Self.secure, RouteSettings(settings)))
        #expect(dial.begin().words == "prepare a.test:443")
        #expect(dial.prepared().words == "dial a.test:443")
        #expect(dial.resolved([], at: at(2)).words == "rest")
        #expect(dial.connected(to: .unnamed, from: nil, at: at(3)).words == "secure a.test:443")
        #expect(dial.connected(to: .unnamed, from: nil, at: at(4)).words == "rest")
        #expect(dial.secured(at: at(5)).words == "open")
    }

    private struct RouteFailure: Error {}

    @Test func `secure: trust is prepared first, and hands are shaken last`() throws {
        let address = try #require(address)
        var dial = dial(Route(to: Self.secure))
        #expect(dial.begin().words == "prepare a.test:443")
        #expect(dial.prepared().words == "resolve a.test:443")
        #expect(dial.resolved([address], at: at(2)).words == "connect")
        #expect(dial.connected(to: address, from: nil, at: at(3)).words == "secure a.test:443")
        #expect(dial.secured(at: at(4)).words == "open")
        let timeline = dial.timeline
        #expect(timeline == Dial.Timeline(began: at(1), resolved: at(2), connected: at(3), secured: at(4)))
    }

    @Test func `through a secure proxy: both are prepared, and the tunnel lies between their handshakes`() throws {
        let address = try #require(address)
        let proxy = Proxy(.https, host: "proxy.test", port: 8443)
        var dial = dial(Route(to: Self.secure, RouteSettings(.init(proxies: [proxy], proxyProtocol: .v1))))
        #expect(dial.begin().words == "prepare proxy.test:8443")
        #expect(dial.prepared().words == "prepare a.test:443")
        #expect(dial.prepared().words == "resolve proxy.test:8443")
        #expect(dial.resolved([address], at: at(2)).words == "connect")
        #expect(dial.connected(to: address, from: nil, at: at(3)).words == "secure proxy.test:8443")
        #expect(dial.secured(at: at(4)).words == "tunnel a.test:443")
        #expect(dial.challenged().words == "prepare proxy.test:8443")
        _ = (dial.prepared(), dial.prepared(), dial.resolved([address], at: at(5)))
        _ = (dial.connected(to: address, from: nil, at: at(6)), dial.secured(at: at(7)))
        #expect(dial.tunnelled(at: at(8)).words == "announce")
        #expect(dial.announcedEnds.remote == nil && dial.announcedEnds.local == nil)
        #expect(dial.announced().words == "secure a.test:443")
        #expect(dial.secured(at: at(9)).words == "open")
    }

    @Test func `an origin is told the ends of its own connection`() throws {
        let address = try #require(address)
        var dial = dial(Route(to: Self.plain, RouteSettings(.init(proxyProtocol: .v2))))
        _ = (dial.begin(), dial.resolved([address], at: at(2)))
        #expect(dial.connected(to: address, from: address, at: at(3)).words == "announce")
        #expect(dial.announcedEnds.remote == address && dial.announcedEnds.local == address)
    }

    @Test(
        arguments: [
            (plain, [Proxy(.http, host: "p.test")], "resolve connect"),
            (plain, [Proxy(.https, host: "p.test")], "prepare resolve connect secure"),
            (secure, [Proxy(.http, host: "p.test")], "prepare resolve connect tunnel secure"),
            (plain, [Proxy(.socks5h, host: "p.test")], "resolve connect tunnel"),
            (plain, [Proxy(.socks5, host: "p.test")], "resolve locate connect tunnel"),
            (secure, [Proxy(.socks4a, host: "127.0.0.1")], "prepare connect tunnel secure"),
            (
                HTTPOrigin(scheme: .http, host: "192.0.2.7", port: 80), [Proxy(.socks5, host: "127.0.0.1")],
                "locate connect tunnel"
            ),
            (plain, [Proxy(.socks5, host: "127.0.0.1"), Proxy(.http, host: "p.test")], "locate connect tunnel"),
            (
                secure, [Proxy(.socks5, host: "127.0.0.1"), Proxy(.https, host: "p.test")],
                "prepare prepare locate connect tunnel secure tunnel secure"
            ),
            (
                secure, [Proxy(.socks4, host: "s.test"), Proxy(.socks5, host: "p.test")],
                "prepare resolve locate locate connect tunnel tunnel secure"
            ),
        ] as [(HTTPOrigin, [Proxy], String)])
    func `proxies add their steps`(origin: HTTPOrigin, proxies: [Proxy], words: String) {
        let route = Route(to: origin, RouteSettings(.init(proxies: proxies)))
        let steps = Dial.steps(along: route, isResolved: route.address != nil)
        #expect(steps.map(\.word).joined(separator: " ") == words)
    }

    @Test func `each end of a tunnel is located before anything is connected to, once in each attempt`() throws {
        let (address, first, second, third) = (
            try #require(address), try #require(IPAddress(literal: "192.0.2.3")),
            try #require(IPAddress(literal: "192.0.2.4")), try #require(IPAddress(literal: "192.0.2.5"))
        )
        let proxies = [Proxy(.socks4, host: "127.0.0.1"), Proxy(.socks5, host: "p.test")]
        let tunnels = [
            Route.Tunnel(proxy: proxies[0], target: proxies[1].server),
            Route.Tunnel(proxy: proxies[1], target: Self.plain),
        ]
        var dial = dial(Route(to: Self.plain, RouteSettings(.init(proxies: proxies))))
        #expect(dial.begin().words == "locate p.test:1080")
        #expect(dial.resolved([address], at: at(2)).words == "rest")
        #expect(dial.located([first], at: at(2)).words == "locate a.test:80")
        #expect(dial.located([second, third], at: at(3)).words == "connect")
        #expect(dial.located([first], at: at(4)).words == "rest")
        let located = tunnels.map { dial.address(of: $0) }
        #expect(located == [first, second])
        #expect(dial.connected(to: address, from: nil, at: at(5)).words == "tunnel p.test:1080")
        #expect(dial.unreached()?.words == nil)
        #expect(dial.tunnelled(at: at(6)).words == "tunnel a.test:80")
        #expect(dial.unreached()?.words == "connect" && dial.address(of: tunnels[1]) == third)
        #expect(dial.connected(to: address, from: nil, at: at(7)).words == "tunnel p.test:1080")
        #expect(dial.tunnelled(at: at(8)).words == "tunnel a.test:80")
        #expect(dial.unreached()?.words == nil)
        #expect(dial.challenged().words == "locate p.test:1080")
    }

    @Test func `of ten thousand addresses of a tunnel's end sixteen are tried`() throws {
        let address = try #require(address)
        var dial = dial(Route(to: Self.plain, RouteSettings(.init(proxies: [Proxy(.socks5, host: "127.0.0.1")]))))
        #expect(dial.begin().words == "locate a.test:80")
        let target = try #require(IPAddress(literal: "192.0.2.3"))
        var next = dial.located(Array(repeating: target, count: 10_000), at: at(1)).words
        for number in 1...16 {
            #expect(next == "connect")
            #expect(dial.connected(to: address, from: nil, at: at(2)).words == "tunnel a.test:80")
            next = try #require(number < 16 ? dial.unreached() : .rest).words
        }
        #expect(dial.unreached()?.words == nil)
    }

    @Test func `where the address is known nothing is resolved, and no time goes by for it`() throws {
        let socket = TransportAddress.unix(try UnixSocketName(path: "/run/web.sock"))
        var dial = dial(Route(to: Self.plain, RouteSettings(.init(socket: try UnixSocketName(path: "/run/web.sock")))))
        #expect(dial.begin().words == "connect")
        let (addresses, remote) = (dial.addresses, dial.remoteAddress)
        #expect(addresses == [socket])
        #expect(remote == socket)
        #expect(dial.connected(to: socket, from: nil, at: at(5)).words == "open")
        let timeline = dial.timeline
        #expect(timeline == Dial.Timeline(began: at(1), resolved: at(1), connected: at(5), secured: nil))
    }

    @Test func `when policies change during a handshake, all steps are repeated`() throws {
        let (address, other) = (try #require(address), try #require(other))
        var dial = dial(Route(to: Self.secure))
        for moment: Int64 in [10, 20] {
            #expect((moment == 10 ? dial.begin() : dial.policiesChanged()).words == "prepare a.test:443")
            #expect(dial.prepared().words == "resolve a.test:443")
            #expect(dial.resolved([moment == 10 ? address : other], at: at(moment)).words == "connect")
            #expect(
                dial.connected(to: moment == 10 ? address : other, from: nil, at: at(moment + 1)).words
                    == "secure a.test:443")
        }
        #expect(dial.secured(at: at(22)).words == "open")
        let (timeline, remote) = (dial.timeline, dial.remoteAddress)
        #expect(timeline == Dial.Timeline(began: at(1), resolved: at(20), connected: at(21), secured: at(22)))
        #expect(remote == other)
    }

    @Test func `a failure names its phase and its peer`() throws {
        let address = try #require(address)
        let words = [
            "fail tls no-address", "fail resolve no-address", "fail connect no-address", "fail tls 192.0.2.1:80",
        ]
        for count in 0..<words.count {
            for isLate in [false, true] {
                var dial = dial(Route(to: Self.secure))
                _ = dial.begin()
                if count > 0 { _ = dial.prepared() }
                if count > 1 { _ = dial.resolved([address], at: at(2)) }
                if count > 2 { _ = dial.connected(to: address, from: nil, at: at(3)) }
                let next = isLate ? dial.timedOut() : dial.failed(.connecting(.queueFull(limit: 1)))
                #expect(next.words == words[count])
                guard case .fail(let failure) = next else { continue }
                #expect(failure.reason.kind == (isLate ? .timedOut : .queueFull))
                #expect(failure.reason.limit == (isLate ? .connect : nil))
            }
        }
    }

    @Test func `when time is up, a connect to a socket says why it takes so long`() throws {
        var dial = dial(Route(to: Self.secure, RouteSettings(.init(socket: try UnixSocketName(path: "/run/web.sock")))))
        _ = (dial.begin(), dial.prepared())
        #expect(dial.timedOut().words == "stop connecting")
        #expect(
            dial.failed(.transfer(.connectionLost(nil))).words == "fail connect unix:/run/web.sock")
        #expect(dial.timedOut().words == "rest")
    }

    @Test func `the hand-over can fail, and then nothing is open`() throws {
        let address = try #require(address)
        var dial = dial(Route(to: Self.plain))
        _ = (dial.begin(), dial.resolved([address], at: at(2)), dial.connected(to: address, from: nil, at: at(3)))
        #expect(dial.failed(.transfer(.connectionLost(nil))).words == "fail connect 192.0.2.1:80")
        let isOver = dial.isOver
        #expect(isOver)
    }

    @Test func `an event of another step changes nothing`() throws {
        let address = try #require(address)
        var dial = dial(Route(to: Self.secure))
        _ = dial.begin()
        #expect(dial.resolved([address], at: at(2)).words == "rest")
        #expect(dial.connected(to: address, from: nil, at: at(2)).words == "rest")
        #expect(dial.secured(at: at(2)).words == "rest")
        #expect(dial.policiesChanged().words == "rest")
        _ = dial.prepared()
        #expect(dial.prepared().words == "rest")
        let (timeline, remote) = (dial.timeline, dial.remoteAddress)
        #expect(timeline == Dial.Timeline(began: at(1), resolved: at(1), connected: at(1), secured: nil))
        #expect(remote == nil)
    }

    @Test func `what is over stays over`() throws {
        let address = try #require(address)
        for isCancelled in [false, true] {
            var dial = dial(Route(to: Self.plain))
            _ = dial.begin()
            if isCancelled { dial.end() } else { _ = dial.timedOut() }
            #expect(dial.resolved([address], at: at(2)).words == "rest")
            #expect(dial.failed(.cancelled).words == "rest")
            #expect(dial.timedOut().words == "rest")
            #expect(dial.policiesChanged().words == "rest")
        }
    }
}

extension Dial.Next {
    fileprivate var words: String {
        switch self {
        case .take(let step):
            switch step {
            case .prepare(let peer), .secure(let peer): "\(step.word) \(peer.server.host):\(peer.server.port)"
            case .resolve(let origin), .dial(let origin): "\(step.word) \(origin.host):\(origin.port)"
            case .locate(let tunnel), .tunnel(let tunnel): "\(step.word) \(tunnel.target.host):\(tunnel.target.port)"
            case .connect, .announce: step.word
            }
        case .open: "open"
        case .stopConnecting: "stop connecting"
        case .fail(let failure): "fail \(failure.phase) \(failure.remoteAddress.map { "\($0)" } ?? "no-address")"
        case .rest: "rest"
        }
    }
}

extension Dial.Step {
    fileprivate var word: String {
        switch self {
        case .prepare: "prepare"
        case .resolve: "resolve"
        case .locate: "locate"
        case .connect: "connect"
        case .dial: "dial"
        case .tunnel: "tunnel"
        case .announce: "announce"
        case .secure: "secure"
        }
    }
}
