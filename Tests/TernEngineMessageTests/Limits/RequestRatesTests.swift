// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO
import TernLock
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(2))) struct RequestRatesTests {
    private static let origin = HTTPOrigin(scheme: .http, host: "a.test", port: 80)

    /// An attempt that sends as soon as it is told to go.
    private final class Attempt: Sendable {
        private let reservation = Lock<RateReservation?>(nil)
        private let times: Lock<[MonotonicInstant]>

        init() { times = Lock([]) }

        var sentAt: MonotonicInstant? { times.withLock { $0.first } }

        func begin(_ rates: RequestRates, _ origin: HTTPOrigin, on loop: ReactorLoop) {
            let entry = rates.enter(origin, at: .now) { loop.execute { self.send() } }
            switch entry {
            case .go(let reservation):
                self.reservation.withLock { $0 = reservation }
                send()
            case .wait(let reservation): self.reservation.withLock { $0 = reservation }
            }
        }

        private func send() {
            let now = MonotonicInstant.now
            guard let reservation = reservation.withLock({ $0 }), reservation.spend(at: now) else { return }
            times.withLock { $0.append(now) }
        }

        func leave() { reservation.withLock { $0 }?.leave() }

        func forget() {
            let old = reservation.withLock { $0.take() }
            withExtendedLifetime(old) {}
        }
    }

    private func rates(perSecond rate: Double, on group: ReactorGroup) throws -> RequestRates {
        let limit = RateLimit(requestsPerSecond: rate)
        return try #require(RequestRates(session: nil, perHost: limit, timerOn: group.reactors[0].loop))
    }

    @Test func `attempts on all reactors go at the rate, each once`() async throws {
        let group = try ReactorGroup(count: 3)
        let rates = try rates(perSecond: 200, on: group)
        let attempts = (0..<30).map { _ in Attempt() }
        for (index, attempt) in attempts.enumerated() {
            let loop = group.reactors[index % 3].loop
            loop.execute { attempt.begin(rates, Self.origin, on: loop) }
        }
        #expect(await eventually { attempts.allSatisfy { $0.sentAt != nil } })
        let times = attempts.compactMap(\.sentAt).sorted()
        let lateness = RateLines.lateness / .seconds(1)
        for (index, time) in times.enumerated() {
            // Each reads the clock before it spends, so the order may be another one by less than a period.
            #expect(time.seconds(since: times[0]) >= Double(index - 1) / 200 - lateness)
        }
        #expect(rates.count == 0)
    }

    @Test func `a place is given back by leaving, and by releasing the reservation`() async throws {
        let group = try ReactorGroup(count: 1)
        let rates = try rates(perSecond: 10, on: group)
        let loop = group.reactors[0].loop
        let attempts = (0..<40).map { _ in Attempt() }
        for attempt in attempts { attempt.begin(rates, Self.origin, on: loop) }
        #expect(rates.count == 39)
        for (index, attempt) in attempts.enumerated().dropFirst().dropLast() {
            if index % 2 == 0 { attempt.leave() } else { attempt.forget() }
        }
        #expect(rates.count == 1)
        let last = attempts[39]
        #expect(await eventually { last.sentAt != nil })
        let wait = try #require(last.sentAt).seconds(since: try #require(attempts[0].sentAt))
        #expect((0.09..<1).contains(wait))
        last.leave()
        #expect(rates.count == 0)
    }

    @Test func `a reservation that is over retains nothing of its attempt`() throws {
        let group = try ReactorGroup(count: 1)
        let rates = try rates(perSecond: 0.001, on: group)
        func begun() -> [Attempt] {
            let attempts = [Attempt(), Attempt(), Attempt()]
            for attempt in attempts { attempt.begin(rates, Self.origin, on: group.reactors[0].loop) }
            return attempts
        }
        var attempts = begun()
        #expect(attempts[0].sentAt != nil)
        attempts[1].leave()
        attempts[2].forget()
        weak let (sent, left, forgotten) = (attempts[0], attempts[1], attempts[2])
        attempts = []
        #expect(sent == nil && left == nil && forgotten == nil)
    }

    @Test func `rates with an alarm are released`() async throws {
        let group = try ReactorGroup(count: 1)
        var rates: RequestRates? = try rates(perSecond: 0.001, on: group)
        weak let released = rates
        let attempts = [Attempt(), Attempt()]
        for attempt in attempts { if let rates { attempt.begin(rates, Self.origin, on: group.reactors[0].loop) } }
        for attempt in attempts { attempt.forget() }
        rates = nil
        #expect(await eventually { released == nil })
    }

    @Test func `any thread enters, sends and leaves at any time`() async throws {
        let group = try ReactorGroup(count: 2)
        let limit = RateLimit(requestsPerSecond: 2000, requestBurst: 3)
        let rates = try #require(RequestRates(session: limit, perHost: limit, timerOn: group.reactors[0].loop))
        final class Tellings: Sendable { let count = Lock(0) }
        let tellings = Tellings()
        await withTaskGroup { tasks in
            for seed in 1...4 as ClosedRange<UInt64> {
                tasks.addTask {
                    var generator = SeededGenerator(seed: seed)
                    var reservations: [RateReservation] = []
                    for _ in 0..<2000 {
                        let host = "h\(Int.random(in: 0..<3, using: &generator)).test"
                        switch Int.random(in: 0..<4, using: &generator) {
                        case 0..<2:
                            let origin = HTTPOrigin(scheme: .http, host: host, port: 80)
                            let entry = rates.enter(origin, at: .now) { tellings.count.withLock { $0 += 1 } }
                            switch entry {
                            case .go(let reservation), .wait(let reservation): reservations.append(reservation)
                            }
                        case 2: for reservation in reservations { _ = reservation.spend(at: .now) }
                        default:
                            reservations.randomElement(using: &generator)?.leave()
                            reservations.removeAll { _ in Bool.random(using: &generator) }
                        }
                    }
                }
            }
        }
        #expect(rates.count == 0)
        #expect(tellings.count.withLock { $0 } > 0)
    }
}
