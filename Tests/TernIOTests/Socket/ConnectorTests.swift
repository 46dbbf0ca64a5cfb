// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import TernIO

@Suite(.timeLimit(.minutes(1))) struct ConnectorTests {
    @Test func `the first address that answers is connected, registered and ready to be taken over`() async throws {
        try await onLoop { loop in
            let listener = try Listener()
            let dial = Dial([listener.address], on: loop)
            let address = await dial.outcome()
            #expect(address == .connected(listener.address))
            guard let connected = dial.take() else { return }
            let peer = Peer(descriptor: try listener.accept())
            let probe = Probe()
            try loop.transfer(connected.token, to: probe, interest: .readable)
            try peer.send("hello")
            #expect(await probe.next() == .readable)
            #expect(try connected.socket.receiveText().text == "hello")
            #expect(probe.calls == [.readable])
            loop.deregister(connected.token)
        }
    }

    @Test func `a refused address hands over to the next at once`() async throws {
        try await onLoop { loop in
            let (refusing, other, listener) = (try Listener.refusing(), try Listener.refusing("::1"), try Listener())
            await expectNoStagger(from: [refusing.address, other.address], to: listener.address, on: loop)
        }
    }

    /// Expects `address` to be connected to in less than the stagger, once in a few tries: the machine may be busy.
    private func expectNoStagger(
        from refusing: [TransportAddress], to address: TransportAddress, on loop: ReactorLoop,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        var best = Double.infinity
        for _ in 0..<5 where best >= 0.2 {
            let start = MonotonicInstant.now
            let dial = Dial(refusing + [address], on: loop)
            #expect(await dial.outcome() == .connected(address), sourceLocation: sourceLocation)
            best = min(best, dial.endedAt?.seconds(since: start) ?? .infinity)
            dial.end()
        }
        #expect(best < 0.2, sourceLocation: sourceLocation)
    }

    @Test func `when all fail the error lists every attempt in order`() async throws {
        try await onLoop { loop in
            let refusing = try [Listener.refusing(), Listener.refusing(), Listener.refusing("::1")]
            let dial = Dial(refusing.map(\.address), on: loop)
            let attempts = [0, 2, 1].map {
                ConnectError.Attempt(
                    address: refusing[$0].address, error: SystemCallError(.connect, code: ECONNREFUSED))
            }
            #expect(await dial.outcome() == .failed(attempts))
            #expect(Census.watched(by: loop.epoll.rawValue) == 1)
            #expect(loop.registrationCount == 0)
        }
    }

    @Test func `no addresses fail with no attempts`() async throws {
        try await onLoop { loop in
            #expect(await Dial([], on: loop).outcome() == .failed([]))
        }
    }

    @Test func `an address without a route is an attempt like any other`() async throws {
        try await onLoop { loop in
            let broadcast = try #require(TransportAddress(literal: "255.255.255.255", port: 1))
            let listener = try Listener()
            let first = Dial([broadcast], on: loop)
            guard case .failed(let attempts) = await first.outcome() else {
                Issue.record("a broadcast address was connected to")
                return
            }
            #expect(attempts.map(\.address) == [broadcast])
            let second = Dial([broadcast, listener.address], on: loop)
            #expect(await second.outcome() == .connected(listener.address))
            second.end()
        }
    }

    // Happy eyeballs

    @Test(arguments: [("127.0.0.1", "::1"), ("::1", "127.0.0.1"), ("127.0.0.1", "127.0.0.1")])
    func `an address that does not answer costs the stagger, and closes`(silent: String, good: String) async throws {
        try await onLoop { loop in
            let (silent, listener) = (try SilentListener(silent), try Listener(good))
            let before = silent.connections
            let dial = Dial([silent.address, listener.address], on: loop)
            let start = MonotonicInstant.now
            #expect(await eventually { Census.connections(to: silent.address) == before + 1 })
            #expect(await dial.outcome() == .connected(listener.address))
            #expect(MonotonicInstant.now.seconds(since: start) >= 0.24)
            // Its mailbox, and the winner if it had to be waited for: not the loser.
            #expect(Census.watched(by: loop.epoll.rawValue) <= 2)
            #expect(loop.registrationCount == 1)
            #expect(await eventually { Census.connections(to: silent.address) == before })
            dial.end()
        }
    }

    @Test func `the next address is tried as soon as the stagger has passed`() async throws {
        try await onLoop { loop in
            let (silent, listener) = (try SilentListener(), try Listener())
            let start = MonotonicInstant.now
            let dial = Dial([silent.address, silent.address, listener.address], on: loop)
            // The loop reports sockets before deadlines, so a busy machine delays this no less than the connection.
            await elapse(.milliseconds(700), on: loop)
            let end = try #require(dial.endedAt)
            #expect(end.seconds(since: start) >= 0.5)
            dial.end()
        }
    }

    @Test func `fifteen refused addresses before a good one take no stagger at all`() async throws {
        try await onLoop { loop in
            let refusing = try (0..<15).map { try Listener.refusing($0 % 2 == 0 ? "127.0.0.1" : "::1") }
            let listener = try Listener()
            await expectNoStagger(from: refusing.map(\.address), to: listener.address, on: loop)
        }
    }

    @Test func `a pending attempt wins although later ones failed`() async throws {
        try await onLoop { loop in
            let (listener, refusing) = (try Listener(backlog: 0), try Listener.refusing())
            // Fills the backlog, so that our SYN is dropped until the listener accepts; the kernel sends it again.
            let filler = try Socket.connecting(to: listener.address)
            let dial = Dial([listener.address, refusing.address], on: loop)
            await elapse(.milliseconds(400), on: loop)
            #expect(!dial.isEnded)
            let accepted = try listener.accept()
            #expect(await dial.outcome() == .connected(listener.address))
            dial.end()
            withExtendedLifetime((filler.descriptor.rawValue, accepted.rawValue, refusing)) {}
        }
    }

    @Test func `at the deadline pending attempts have failed`() async throws {
        try await onLoop { loop in
            let silent = [try SilentListener(), try SilentListener("::1")]
            let before = silent.map(\.connections)
            let dial = Dial(silent.map(\.address), deadline: .now.advanced(by: .milliseconds(300)), on: loop)
            let attempts = silent.map {
                ConnectError.Attempt(address: $0.address, error: SystemCallError(.connect, code: ETIMEDOUT))
            }
            #expect(await dial.outcome() == .failed(attempts))
            #expect(Census.watched(by: loop.epoll.rawValue) == 1)
            #expect(loop.registrationCount == 0)
            #expect(await eventually { silent.map { Census.connections(to: $0.address) } == before })
        }
    }

    // The Unix domain

    @Test func `a Unix domain socket is connected to like any other address`() async throws {
        try await onLoop { loop in
            for name in [
                try UnixSocketName(path: UnixListener.freshPath()),
                try UnixSocketName(abstract: UnixListener.freshPath()),
            ] {
                let listener = try UnixListener(name)
                let dial = Dial([listener.address], on: loop)
                #expect(await dial.outcome() == .connected(listener.address))
                guard let connected = dial.take() else { return }
                let peer = Peer(descriptor: try listener.accept())
                let probe = Probe()
                try loop.transfer(connected.token, to: probe, interest: .readable)
                try peer.send("hello")
                #expect(await probe.next() == .readable)
                #expect(try connected.socket.receiveText().text == "hello")
                loop.deregister(connected.token)
            }
        }
    }

    @Test func `a path without a listener is an error that says so`() async throws {
        try await onLoop { loop in
            let address = TransportAddress.unix(try UnixSocketName(path: UnixListener.freshPath()))
            let attempt = ConnectError.Attempt(address: address, error: SystemCallError(.connect, code: ENOENT))
            #expect(await Dial([address], on: loop).outcome() == .failed([attempt]))
            #expect(loop.registrationCount == 0)
        }
    }

    @Test func `a full backlog is waited for until there is room`() async throws {
        try await onLoop { loop in
            let listener = try UnixListener(UnixSocketName(path: UnixListener.freshPath()), backlog: 0)
            let filling = try Socket.connecting(to: listener.address)
            #expect(throws: SystemCallError(.connect, code: EAGAIN)) { _ = try Socket.connecting(to: listener.address) }
            let dial = Dial([listener.address], on: loop)
            await elapse(.milliseconds(50), on: loop)
            #expect(!dial.isEnded)
            // Between two knocks it holds a timer, and no socket.
            #expect(Census.watched(by: loop.epoll.rawValue) == 1)
            let accepted = try listener.accept()
            #expect(await dial.outcome() == .connected(listener.address))
            dial.end()
            #expect(loop.registrationCount == 0)
            withExtendedLifetime((filling.descriptor.rawValue, accepted.rawValue)) {}
        }
    }

    @Test func `a full backlog is an error that says so at the deadline, and nothing when cancelled`() async throws {
        try await onLoop { loop in
            let listener = try UnixListener(UnixSocketName(path: UnixListener.freshPath()), backlog: 0)
            let filling = try Socket.connecting(to: listener.address)
            let dial = Dial([listener.address], deadline: .now.advanced(by: .milliseconds(50)), on: loop)
            let attempt = ConnectError.Attempt(
                address: listener.address, error: SystemCallError(.connect, code: EAGAIN))
            #expect(await dial.outcome() == .failed([attempt]))
            let second = Dial([listener.address], on: loop)
            second.connector?.cancel()
            #expect(loop.registrationCount == 0)
            await elapse(.milliseconds(50), on: loop)
            #expect(!second.isEnded)
            withExtendedLifetime(filling.descriptor.rawValue) {}
        }
    }

    // The end

    @Test func `cancelling closes every attempt and calls no completion`() async throws {
        try await onLoop { loop in
            let silent = [try SilentListener(), try SilentListener("::1")]
            let before = silent.map(\.connections)
            let dial = Dial(silent.map(\.address), on: loop)
            await elapse(.milliseconds(300), on: loop)
            #expect(await eventually { silent.map { Census.connections(to: $0.address) } == before.map { $0 + 1 } })
            #expect(Census.watched(by: loop.epoll.rawValue) == 3)
            dial.connector?.cancel()
            #expect(Census.watched(by: loop.epoll.rawValue) == 1)
            #expect(loop.registrationCount == 0)
            #expect(await eventually { silent.map { Census.connections(to: $0.address) } == before })
            await elapse(.milliseconds(300), on: loop)
            #expect(!dial.isEnded)
            dial.connector?.cancel()
            dial.connector?.start()
            #expect(!dial.isEnded)
        }
    }

    @Test func `a connector that is released closes its attempts`() async throws {
        try await onLoop { loop in
            let silent = try SilentListener()
            let before = silent.connections
            let dial = Dial([silent.address, silent.address], on: loop)
            #expect(await eventually { Census.connections(to: silent.address) == before + 1 })
            dial.connector = nil
            #expect(await eventually { Census.connections(to: silent.address) == before })
            #expect(Census.watched(by: loop.epoll.rawValue) == 1)
            #expect(loop.registrationCount == 0)
        }
    }

    @Test func `the owner may release the connector from its completion`() async throws {
        try await onLoop { loop in
            let (refusing, listener) = (try Listener.refusing(), try Listener())
            for addresses in [[listener.address], [refusing.address, listener.address], [refusing.address], []] {
                let dial = Dial(addresses, on: loop, letsGo: true)
                _ = await dial.outcome()
                #expect(dial.connector == nil)
                dial.end()
            }
            #expect(Census.watched(by: loop.epoll.rawValue) == 1)
            #expect(loop.registrationCount == 0)
        }
    }

    @Test func `two thousand refused connections leave nothing behind`() async throws {
        try await onLoop { loop in
            let refusing = try Listener.refusing()
            for _ in 0..<2000 {
                guard case .failed(let attempts) = await Dial([refusing.address], on: loop).outcome() else {
                    Issue.record("a server listens")
                    return
                }
                #expect(attempts.count == 1)
            }
            #expect(Census.watched(by: loop.epoll.rawValue) == 1)
            #expect(loop.registrationCount == 0)
            #expect(await eventually { Census.connections(to: refusing.address) == 0 })
        }
    }

    @Test func `a connector that outlives its loop does no harm`() async throws {
        let silent = try SilentListener()
        let before = silent.connections
        let box = Box()
        let loop = try await onLoop { loop in
            box.dial = Dial([silent.address], on: loop)
            return loop
        }
        #expect(await eventually { !loop.execute {} })
        box.dial = nil
        #expect(await eventually { Census.connections(to: silent.address) == before })
    }
}

/// A connector with its owner.
private final class Dial {
    enum Outcome: Equatable {
        case connected(TransportAddress)
        case failed([ConnectError.Attempt])
    }

    var connector: Connector?
    private let loop: ReactorLoop
    private let letsGo: Bool
    private var connected: Connector.Connected?
    private var ended: Outcome?
    private var waiting: CheckedContinuation<Outcome, Never>?

    init(
        _ addresses: [TransportAddress], deadline: MonotonicInstant? = nil, on loop: ReactorLoop, letsGo: Bool = false
    ) {
        self.loop = loop
        self.letsGo = letsGo
        connector = Connector(addresses: addresses, deadline: deadline, loop: loop) { [weak self] result in
            self?.end(with: result)
        }
        connector?.start()
    }

    private(set) var endedAt: MonotonicInstant?
    var isEnded: Bool { endedAt != nil }

    func outcome() async -> Outcome {
        if let ended { return ended }
        return await withCheckedContinuation { waiting = $0 }
    }

    func take() -> Connector.Connected? { connected.take() }

    /// Closes the connection if there is one.
    func end() {
        guard let connected = take() else { return }
        loop.deregister(connected.token)
    }

    private func end(with result: consuming Result<Connector.Connected, ConnectError>) {
        #expect(!isEnded, "completed twice")
        if letsGo { connector = nil }
        let outcome: Outcome
        switch consume result {
        case .success(let connected):
            outcome = .connected(connected.address)
            self.connected = consume connected
        case .failure(let error):
            outcome = .failed(error.attempts)
        }
        ended = outcome
        endedAt = .now
        waiting?.resume(returning: outcome)
        waiting = nil
    }
}

/// Carries a dial off its loop. Used by one thread after the other: the loop's, then, when that has ended, the test's.
private final class Box: @unchecked Sendable {
    var dial: Dial?
}

@Suite struct ConnectErrorTests {
    @Test func `the description says what became of three addresses, and how many there were`() throws {
        let four = try #require(TransportAddress(literal: "127.0.0.1", port: 80))
        let six = try #require(TransportAddress(literal: "::1", port: 80))
        let error = ConnectError(attempts: [
            ConnectError.Attempt(address: six, error: SystemCallError(.connect, code: ECONNREFUSED)),
            ConnectError.Attempt(address: four, error: SystemCallError(.connect, code: ETIMEDOUT)),
        ])
        #expect(
            error.description == """
                [::1]:80: Connection refused (errno 111); 127.0.0.1:80: Connection timed out (errno 110)
                """)
        let many = ConnectError(attempts: Array(repeating: error.attempts[0], count: 5))
        #expect(
            many.description
                == "\(Array(repeating: "[::1]:80: Connection refused (errno 111)", count: 3).joined(separator: "; ")); and 2 more"
        )
    }
}
