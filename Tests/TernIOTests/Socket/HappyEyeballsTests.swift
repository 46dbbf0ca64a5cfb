// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import TernIO

@Suite struct HappyEyeballsTests {
    // One address

    @Test func `a connection that stands is the end`() throws {
        let a = try four(1)
        var plan = HappyEyeballs(addresses: [a])
        expect(plan.next(now: at(0)), .connect(number: 0, a))
        expect(plan.next(now: at(0)), .wait(until: nil))
        expect(plan.connected(0), true)
        expect(plan.next(now: at(1)), .rest)
        expect(plan.connected(0), false)
    }

    @Test func `the only failure is the end, reported once`() throws {
        let a = try four(1)
        var plan = HappyEyeballs(addresses: [a])
        expect(plan.next(now: at(0)), .connect(number: 0, a))
        plan.failed(0, refused, now: at(0))
        expect(plan.next(now: at(1)), .fail(ConnectError(attempts: [.init(address: a, error: refused)])))
        expect(plan.next(now: at(1)), .rest)
    }

    @Test func `no addresses fail with no attempts`() {
        var plan = HappyEyeballs(addresses: [])
        expect(plan.next(now: at(0)), .fail(ConnectError(attempts: [])))
        expect(plan.next(now: at(0)), .rest)
    }

    // The next address

    @Test func `the next address waits 250 ms, and not a nanosecond longer`() throws {
        let (a, b) = (try four(1), try four(2))
        var plan = HappyEyeballs(addresses: [a, b])
        expect(plan.next(now: at(10)), .connect(number: 0, a))
        expect(plan.next(now: at(10)), .wait(until: at(260)))
        expect(plan.next(now: MonotonicInstant(nanoseconds: at(260).nanoseconds - 1)), .wait(until: at(260)))
        expect(plan.next(now: at(260)), .connect(number: 1, b))
        expect(plan.next(now: at(260)), .wait(until: nil))
        expect(plan.next(now: at(100_000)), .wait(until: nil))
    }

    @Test func `each attempt has the whole delay, however late it started`() throws {
        var plan = HappyEyeballs(addresses: [try four(1), try four(2), try four(3)])
        expect(plan.next(now: at(0)), .connect(number: 0, try four(1)))
        expect(plan.next(now: at(900)), .connect(number: 1, try four(2)))
        expect(plan.next(now: at(900)), .wait(until: at(1150)))
    }

    @Test func `a failure hands over to the next address at once, and the delay restarts`() throws {
        var plan = HappyEyeballs(addresses: [try four(1), try four(2), try four(3)])
        expect(plan.next(now: at(0)), .connect(number: 0, try four(1)))
        plan.failed(0, refused, now: at(0))
        expect(plan.next(now: at(5)), .connect(number: 1, try four(2)))
        expect(plan.next(now: at(5)), .wait(until: at(255)))
    }

    @Test func `a failure of an earlier attempt does so too, while a later one continues`() throws {
        var plan = HappyEyeballs(addresses: [try four(1), try four(2), try four(3)])
        expect(plan.next(now: at(0)), .connect(number: 0, try four(1)))
        expect(plan.next(now: at(250)), .connect(number: 1, try four(2)))
        plan.failed(0, refused, now: at(0))
        expect(plan.next(now: at(260)), .connect(number: 2, try four(3)))
        expect(plan.next(now: at(260)), .wait(until: nil))
        expect(plan.connected(1), true)
    }

    @Test func `two failures at once start one address, and the delay counts for the one after`() throws {
        var plan = HappyEyeballs(addresses: try (1...4).map { try four($0) })
        expect(plan.next(now: at(0)), .connect(number: 0, try four(1)))
        expect(plan.next(now: at(250)), .connect(number: 1, try four(2)))
        plan.failed(0, refused, now: at(0))
        plan.failed(1, refused, now: at(0))
        expect(plan.next(now: at(251)), .connect(number: 2, try four(3)))
        expect(plan.next(now: at(251)), .wait(until: at(501)))
    }

    // The families

    @Test func `the families alternate, beginning with the first address's`() throws {
        let (v4, v6) = (try (1...3).map { try four($0) }, try (1...2).map { try six($0) })
        #expect(order(v4 + v6) == [v4[0], v6[0], v4[1], v6[1], v4[2]])
        #expect(order(v6 + v4) == [v6[0], v4[0], v6[1], v4[1], v4[2]])
        #expect(order(v4) == v4)
        #expect(order([]) == [])
    }

    // A full backlog

    @Test func `a full backlog is knocked at again, ever more rarely`() throws {
        let a = try unix("/run/web.sock")
        var plan = HappyEyeballs(addresses: [a])
        expect(plan.next(now: at(0)), .connect(number: 0, a))
        var now: Int64 = 0
        for pause: Int64 in [4, 8, 16, 32, 64, 64, 64] {
            plan.failed(0, busy, now: at(now))
            expect(plan.next(now: at(now)), .wait(until: at(now + pause)))
            now += pause
            expect(plan.next(now: at(now)), .connect(number: 0, a))
            expect(plan.next(now: at(now)), .wait(until: nil))
        }
        expect(plan.connected(0), true)
    }

    @Test func `other failures of a socket that was busy count`() throws {
        let a = try unix("/run/web.sock")
        var plan = HappyEyeballs(addresses: [a])
        expect(plan.next(now: at(0)), .connect(number: 0, a))
        plan.failed(0, busy, now: at(0))
        expect(plan.next(now: at(4)), .connect(number: 0, a))
        plan.failed(0, refused, now: at(4))
        expect(plan.next(now: at(4)), .fail(ConnectError(attempts: [.init(address: a, error: refused)])))
    }

    @Test func `who is busy for two minutes has failed`() throws {
        let a = try unix("/run/web.sock")
        var plan = HappyEyeballs(addresses: [a])
        expect(plan.next(now: at(0)), .connect(number: 0, a))
        plan.failed(0, busy, now: at(126_999))
        expect(plan.next(now: at(127_003)), .connect(number: 0, a))
        plan.failed(0, busy, now: at(127_003))
        expect(plan.next(now: at(127_003)), .fail(ConnectError(attempts: [.init(address: a, error: busy)])))
    }

    @Test func `the deadline ends the attempts at a socket, and the error says why`() throws {
        let a = try unix("/run/web.sock")
        var plan = HappyEyeballs(addresses: [a], deadline: at(2))
        expect(plan.next(now: at(0)), .connect(number: 0, a))
        plan.failed(0, busy, now: at(0))
        expect(plan.next(now: at(0)), .wait(until: at(2)))
        expect(plan.next(now: at(2)), .fail(ConnectError(attempts: [.init(address: a, error: busy)])))
    }

    @Test func `a caller with its own timer gets the same failure`() throws {
        let a = try unix("/run/web.sock")
        var plan = HappyEyeballs(addresses: [a])
        expect(plan.next(now: at(0)), .connect(number: 0, a))
        plan.failed(0, busy, now: at(0))
        expect(plan.timedOut(), .fail(ConnectError(attempts: [.init(address: a, error: busy)])))
        expect(plan.timedOut(), .rest)
        expect(plan.next(now: at(9)), .rest)
    }

    @Test func `a next address does not wait for a full backlog, nor the backlog for it`() throws {
        let (a, b) = (try unix("/run/a.sock"), try unix("/run/b.sock"))
        var plan = HappyEyeballs(addresses: [a, b])
        expect(plan.next(now: at(0)), .connect(number: 0, a))
        plan.failed(0, busy, now: at(240))
        expect(plan.next(now: at(240)), .wait(until: at(244)))
        expect(plan.next(now: at(250)), .connect(number: 1, b))
        expect(plan.next(now: at(250)), .connect(number: 0, a))
        expect(plan.connected(0), true)
    }

    @Test func `over TCP the same error is a failure: it is our ports that lack`() throws {
        let a = try four(1)
        var plan = HappyEyeballs(addresses: [a])
        expect(plan.next(now: at(0)), .connect(number: 0, a))
        plan.failed(0, busy, now: at(0))
        expect(plan.next(now: at(0)), .fail(ConnectError(attempts: [.init(address: a, error: busy)])))
    }

    // The end

    @Test func `the first connection wins, and a second one has lost`() throws {
        var plan = HappyEyeballs(addresses: [try six(1), try four(1)])
        expect(plan.next(now: at(0)), .connect(number: 0, try six(1)))
        expect(plan.next(now: at(250)), .connect(number: 1, try four(1)))
        expect(plan.connected(1), true)
        expect(plan.connected(0), false)
        expect(plan.next(now: at(251)), .rest)
    }

    @Test func `the last failure has all attempts, in the order in which they failed`() throws {
        let (a, b) = (try six(1), try four(1))
        let unreachable = SystemCallError(.connect, code: ENETUNREACH)
        var plan = HappyEyeballs(addresses: [a, b])
        expect(plan.next(now: at(0)), .connect(number: 0, a))
        expect(plan.next(now: at(250)), .connect(number: 1, b))
        plan.failed(1, refused, now: at(0))
        expect(plan.next(now: at(251)), .wait(until: nil))
        plan.failed(0, unreachable, now: at(0))
        expect(
            plan.next(now: at(252)),
            .fail(
                ConnectError(attempts: [
                    .init(address: b, error: refused), .init(address: a, error: unreachable),
                ])))
    }

    @Test func `of ten thousand addresses the first eight of each family are tried`() throws {
        let addresses = try (0..<10_000).map { try $0 < 9_000 ? four($0 % 250) : six($0 % 9 + 1) }
        var plan = HappyEyeballs(addresses: addresses)
        for number in 0..<16 {
            let expected = number % 2 == 0 ? addresses[number / 2] : addresses[9_000 + number / 2]
            expect(plan.next(now: at(0)), .connect(number: number, expected))
            plan.failed(number, refused, now: at(0))
        }
        guard case .fail(let error) = plan.next(now: at(0)) else { return #expect(Bool(false)) }
        #expect(error.attempts.count == 16 && error.description.count < 200)
    }

    @Test func `the deadline is waited for, and ends pending attempts`() throws {
        let (a, b) = (try six(1), try four(1))
        let late = SystemCallError(.connect, code: ETIMEDOUT)
        var plan = HappyEyeballs(addresses: [a, b, try four(2)], deadline: at(400))
        expect(plan.next(now: at(0)), .connect(number: 0, a))
        expect(plan.next(now: at(0)), .wait(until: at(250)))
        expect(plan.next(now: at(250)), .connect(number: 1, b))
        expect(plan.next(now: at(250)), .wait(until: at(400)))
        expect(
            plan.next(now: at(400)),
            .fail(ConnectError(attempts: [.init(address: a, error: late), .init(address: b, error: late)])))
        expect(plan.connected(0), false)
        expect(plan.next(now: at(401)), .rest)
    }

    @Test func `nothing starts after the deadline`() throws {
        var plan = HappyEyeballs(addresses: [try four(1)], deadline: at(0))
        expect(plan.next(now: at(0)), .fail(ConnectError(attempts: [])))
    }

    @Test func `cancelled, it does nothing more`() throws {
        var plan = HappyEyeballs(addresses: [try four(1), try four(2)])
        expect(plan.next(now: at(0)), .connect(number: 0, try four(1)))
        plan.cancel()
        plan.failed(0, refused, now: at(0))
        expect(plan.next(now: at(1)), .rest)
        expect(plan.connected(0), false)
    }

    @Test func `news of an attempt that has ended, or never was, changes nothing`() throws {
        let a = try four(1)
        var plan = HappyEyeballs(addresses: [a, try four(2)])
        expect(plan.next(now: at(0)), .connect(number: 0, a))
        plan.failed(0, refused, now: at(0))
        plan.failed(0, refused, now: at(0))
        plan.failed(7, refused, now: at(0))
        expect(plan.connected(0), false)
        expect(plan.connected(1), false)
        expect(plan.next(now: at(1)), .connect(number: 1, try four(2)))
        plan.failed(1, refused, now: at(0))
        expect(
            plan.next(now: at(2)),
            .fail(
                ConnectError(attempts: [
                    .init(address: a, error: refused), .init(address: try four(2), error: refused),
                ])))
    }
}

private let busy = SystemCallError(.connect, code: EAGAIN)
private let refused = SystemCallError(.connect, code: ECONNREFUSED)

private func at(_ milliseconds: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: milliseconds * 1_000_000) }

private func four(_ last: Int) throws -> TransportAddress {
    try #require(TransportAddress(literal: "192.0.2.\(last)", port: 80))
}

private func six(_ last: Int) throws -> TransportAddress {
    try #require(TransportAddress(literal: "2001:db8::\(last)", port: 80))
}

private func unix(_ path: String) throws -> TransportAddress { .unix(try UnixSocketName(path: path)) }

/// The addresses as they are tried when each is refused.
private func order(_ addresses: [TransportAddress]) -> [TransportAddress] {
    var plan = HappyEyeballs(addresses: addresses)
    var tried: [TransportAddress] = []
    while case .connect(let number, let address) = plan.next(now: at(0)) {
        tried.append(address)
        plan.failed(number, refused, now: at(0))
    }
    return tried
}

/// `#expect` cannot look into a value that is not copyable; this can.
private func expect<T: Equatable>(_ found: T, _ expected: T, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(found == expected, sourceLocation: sourceLocation)
}
