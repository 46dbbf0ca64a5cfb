// SPDX-License-Identifier: Apache-2.0
import TernIO
import TernLock
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(2))) struct RateLinesTests {
    @Test func `attempts go in order, at the rate of their host`() throws {
        let lines = try Dialogue(perHost: RateLimit(requestsPerSecond: 10, requestBurst: 2))
        for number in 1...5 { lines.enter("a\(number)") }
        lines.enter("b1")
        #expect(lines.told == ["a1", "a2", "b1"])
        #expect(lines.sendAll() == ["a1 at 0", "a2 at 0", "b1 at 0", "a3 at 100", "a4 at 200", "a5 at 300"])
        // A burst is possible again when the rate would have allowed as many.
        lines.now += 150
        for number in 6...8 { lines.enter("a\(number)") }
        #expect(lines.told == ["a6"])
        lines.sendAll()
        lines.now += 1000
        for number in 9...12 { lines.enter("a\(number)") }
        #expect(lines.told == ["a9", "a10"])
    }

    @Test func `those that wait for a slow host take nothing from others`() throws {
        let lines = try Dialogue(
            session: RateLimit(requestsPerSecond: 10), perHost: RateLimit(requestsPerSecond: 1))
        for number in 1...40 { lines.enter("a\(number)") }
        lines.send("a1")
        lines.enter("b1")
        lines.enter("c1")
        #expect(lines.sendAll(until: 1050) == ["b1 at 100", "c1 at 200", "a2 at 1000"])
    }

    @Test func `hosts take turns at the rate of the session`() throws {
        let lines = try Dialogue(session: RateLimit(requestsPerSecond: 10))
        for number in 1...4 { lines.enter("a\(number)") }
        for name in ["b1", "b2", "c1"] { lines.enter(name) }
        #expect(
            lines.sendAll() == [
                "a1 at 0", "a2 at 100", "b1 at 200", "c1 at 300", "a3 at 400", "b2 at 500", "a4 at 600",
            ])
    }

    @Test func `what leaves costs the others nothing, wherever it is`() throws {
        let lines = try Dialogue(perHost: RateLimit(requestsPerSecond: 10))
        lines.enter("a0")
        lines.send("a0")
        for number in 1...40 { lines.enter("a\(number)") }
        for number in 1...39 { lines.leave("a\(number)") }
        #expect(lines.sendAll() == ["a40 at 100"])
        // One that has been told to go, and has sent nothing.
        for number in 41...43 { lines.enter("a\(number)") }
        lines.now += 100
        lines.advance()
        #expect(lines.told == ["a41"])
        lines.leave("a41")
        #expect(lines.told == ["a42"])
        lines.leave("a42")
        lines.leave("a42")
        #expect(lines.sendAll() == ["a43 at 200"])
        lines.finish()
    }

    @Test func `the rate is kept where requests wait for a connection after it`() throws {
        let lines = try Dialogue(session: RateLimit(requestsPerSecond: 10))
        for number in 1...6 { lines.enter("a\(number)") }
        // The one connection is in use: each is told to go at its time, and none is sent.
        for time in [100, 200, 300] {
            #expect(lines.nextTime == time)
            lines.now = time
            lines.advance()
        }
        #expect(lines.told == ["a1", "a2", "a3", "a4"])
        lines.now = 3000
        lines.advance()
        // The connection is free.
        #expect(lines.send("a1"))
        for name in ["a2", "a4", "a3", "a5"] { #expect(!lines.send(name)) }
        lines.enter("b1")
        #expect(
            lines.sendAll() == ["a2 at 3100", "a3 at 3200", "a4 at 3300", "a5 at 3400", "b1 at 3500", "a6 at 3600"])
    }

    @Test func `one that waits long for its connection holds others up for a token, and no longer`() throws {
        let lines = try Dialogue(session: RateLimit(requestsPerSecond: 10), perHost: RateLimit(requestsPerSecond: 5))
        lines.enter("a1")
        lines.enter("b1")
        #expect(lines.told == ["a1"])
        #expect(lines.sendAll(except: "a1") == ["b1 at 100"])
        lines.now = 1000
        lines.enter("b2")
        #expect(lines.send("b2"))
        #expect(!lines.send("a1"))
        lines.enter("c1")
        lines.enter("b3")
        #expect(lines.sendAll() == ["a1 at 1100", "c1 at 1200", "b3 at 1300"])
        lines.finish()
    }

    @Test(arguments: [40.0, 300, 1000, 20_000]) func `timers that are late do not slow the rate`(rate: Double) throws {
        let lines = try Dialogue(session: RateLimit(requestsPerSecond: rate), perHost: RateLimit())
        let count = Int(rate)
        for number in 0..<count { lines.enter("\(number % 7) \(number)") }
        var sent: [Int] = []
        while let next = lines.nextTime {
            for name in lines.told where lines.send(name) { sent.append(lines.now) }
            // A timer is up to 5 ms late.
            lines.now = (next / 5 + 1) * 5
            lines.advance()
        }
        for name in lines.told where lines.send(name) { sent.append(lines.now) }
        #expect(sent.count == count)
        #expect((975...1010).contains(sent.last ?? 0))
        lines.finish()
    }

    @Test(arguments: [0, -1, -Double.infinity, .nan, nil]) func `a rate that is not more than nothing limits nothing`(
        rate: Double?
    ) {
        let limit = RateLimit(requestsPerSecond: rate, requestBurst: .max, bytesPerSecond: 1)
        let isLimit = RateLines(session: limit, perHost: limit) != nil
        #expect(!isLimit)
    }

    @Test(arguments: [Double.leastNonzeroMagnitude, 1e-300, 1e-9, 1e300, .infinity], [.min, 0, 1, 1_000_000, .max])
    func `no rate and no burst is too extreme`(rate: Double, burst: Int) throws {
        let limit = RateLimit(requestsPerSecond: rate, requestBurst: burst)
        let hosts = [RateLimit(requestsPerSecond: 1, requestBurst: burst), limit, nil]
        for (session, host) in zip([limit, limit, limit], hosts) {
            let lines = try Dialogue(session: session, perHost: host)
            for time in [0, 1, 1000, Int(Int64.max / 1_000_000)] {
                lines.now = time
                for name in ["a\(time)", "b\(time)", "c\(time)", "d\(time)"] { lines.enter(name) }
                for name in lines.told { lines.send(name) }
                lines.advance()
            }
            lines.finish()
        }
    }

    @Test func `keep to the rates, and to the order, whatever happens`() throws {
        for seed in 1...150 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let model = try RatesModel(using: &generator)
            for _ in 0..<300 { model.step(using: &generator) }
            model.finish()
            #expect(model.complaints == [], "seed \(seed): \(model.session), \(model.perHost)")
        }
    }
}

/// Attempts by name: the first character is their host's. Time is in milliseconds.
private final class Dialogue {
    var now = 0
    private var lines: RateLines
    private var tickets: [String: RateLines.Ticket] = [:]
    private var entered: [String] = []
    private let woken = Woken()

    private final class Woken: Sendable {
        let names = Lock<[String]>([])
    }

    init(session: RateLimit? = nil, perHost: RateLimit? = nil) throws {
        let lines = RateLines(session: session, perHost: perHost)
        guard let lines else { throw CancellationError() }
        self.lines = lines
    }

    // Attempts and lines know each other until the attempts have left.
    deinit { for ticket in tickets.values { lines.leave(ticket, at: instant) } }

    private var instant: MonotonicInstant { MonotonicInstant(nanoseconds: Int64(now) * 1_000_000) }

    /// Those that may go, and have neither sent nor left, in the order in which they were told.
    private(set) var told: [String] = []

    /// In whole milliseconds, rounded up.
    var nextTime: Int? { lines.nextTime.map { Int(($0.nanoseconds + 999_999) / 1_000_000) } }

    func enter(_ name: String) {
        let woken = woken
        let (ticket, mayGo) = lines.enter(String(name.prefix(1)), at: instant) {
            woken.names.withLock { $0.append(name) }
        }
        tickets[name] = ticket
        if mayGo { told.append(name) }
        collect()
    }

    @discardableResult
    func send(_ name: String) -> Bool {
        guard let ticket = tickets[name] else { return false }
        let isSent = lines.spend(ticket, at: instant)
        told.removeAll { $0 == name }
        collect()
        return isSent
    }

    func leave(_ name: String) {
        guard let ticket = tickets[name] else { return }
        lines.leave(ticket, at: instant)
        told.removeAll { $0 == name }
        collect()
    }

    func advance() {
        lines.advance(to: instant)
        collect()
    }

    private func collect() {
        for wake in lines.takeWakes() { wake() }
        told += woken.names.withLock { names in
            defer { names = [] }
            return names
        }
    }

    /// Sends each as soon as it may go.
    @discardableResult
    func sendAll(until end: Int = .max, except exception: String? = nil) -> [String] {
        var sent: [String] = []
        while true {
            for name in told where name != exception && send(name) { sent.append("\(name) at \(now)") }
            guard let next = nextTime, next <= end else { return sent }
            now = max(now, next)
            advance()
        }
    }

    /// All leave, and nothing is left.
    func finish() {
        for name in tickets.keys { leave(name) }
        told = []
        #expect(lines.count == 0)
        #expect(lines.nextTime == nil)
    }
}

/// Attempts that come, go, send and leave at random, and the promises of the lines.
private final class RatesModel {
    private final class Attempt: Sendable {
        let host: Int
        let number: Int

        init(host: Int, number: Int) { (self.host, self.number) = (host, number) }
    }

    private enum State { case waiting, told }

    private final class Woken: Sendable {
        let numbers = Lock<[Int]>([])
    }

    let session: RateLimit
    let perHost: RateLimit
    private(set) var complaints: [String] = []
    private var lines: RateLines
    private var now: Int64 = 1_000_000_000
    private var lastNumber = 0
    private var tickets: [Int: (host: Int, state: State, ticket: RateLines.Ticket)] = [:]
    private let woken = Woken()
    /// The times of requests, of the session and of each host.
    private var sent: [[Int64]] = [[], [], [], []]
    /// Those that were told to go, and have neither left nor had to wait again, with the time at which they were told.
    private var told: [[(number: Int, time: Int64)]] = [[], [], [], []]

    init(using generator: inout SeededGenerator) throws {
        let rates: [Double?] = [nil, 0.5, 3, 10, 50, 200, 1000]
        let burst = { (generator: inout SeededGenerator) in Int.random(in: 1...4, using: &generator) }
        session = RateLimit(
            requestsPerSecond: rates.randomElement(using: &generator) ?? nil, requestBurst: burst(&generator))
        perHost = RateLimit(
            requestsPerSecond: session.requestsPerSecond == nil ? 10 : rates.randomElement(using: &generator) ?? nil,
            requestBurst: burst(&generator))
        let lines = RateLines(session: session, perHost: perHost)
        guard let lines else { throw CancellationError() }
        self.lines = lines
    }

    private var instant: MonotonicInstant { MonotonicInstant(nanoseconds: now) }

    func step(using generator: inout SeededGenerator) {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<4: enter(Int.random(in: 0..<3, using: &generator))
        case 4..<6: if let number = any(.told, using: &generator) { spend(number) }
        case 6: if let number = any(nil, using: &generator) { leave(number) }
        case 7: advance(by: Int64.random(in: 0...300_000_000, using: &generator))
        default: if let next = lines.nextTime, next > instant { advance(by: next.nanoseconds - now) }
        }
        check()
    }

    /// Those that were told to go leave, and the others are sent as soon as they may.
    func finish() {
        for (number, attempt) in tickets where attempt.state == .told { leave(number) }
        let count = tickets.count
        for _ in 0..<count * 2 where !tickets.isEmpty {
            for number in tickets.keys.sorted() where tickets[number]?.state == .told { spend(number) }
            check()
            guard let next = lines.nextTime, next > instant else { break }
            advance(by: next.nanoseconds - now)
        }
        if !tickets.isEmpty { complaints.append("\(tickets.count) wait for ever") }
        if lines.count != 0 || lines.nextTime != nil { complaints.append("something is left") }
        checkRate(session, sent[3])
        for host in 0..<3 { checkRate(perHost, sent[host]) }
    }

    private func any(_ state: State?, using generator: inout SeededGenerator) -> Int? {
        tickets.filter { state == nil || $0.value.state == state }.keys.sorted().randomElement(using: &generator)
    }

    private func enter(_ host: Int) {
        lastNumber += 1
        let (woken, number) = (woken, lastNumber)
        let (ticket, mayGo) = lines.enter("host\(host)", at: instant) { woken.numbers.withLock { $0.append(number) } }
        collect()
        tickets[number] = (host, .waiting, ticket)
        if mayGo { tell(number) }
    }

    private func spend(_ number: Int) {
        guard let attempt = tickets[number] else { return }
        if lines.spend(attempt.ticket, at: instant) {
            tickets[number] = nil
            for index in [attempt.host, 3] { sent[index].append(now) }
        } else {
            tickets[number]?.state = .waiting
            forget(number, of: attempt.host)
            let isUsedUp = [(attempt.host, perHost), (3, session)].contains { index, limit in
                guard let last = sent[index].last, let period = Self.period(limit) else { return false }
                return last + period > now
            }
            if !isUsedUp { complaints.append("\(number) has to wait without a reason") }
        }
        collect()
    }

    private func leave(_ number: Int) {
        guard let attempt = tickets.removeValue(forKey: number) else { return }
        lines.leave(attempt.ticket, at: instant)
        forget(number, of: attempt.host)
        collect()
    }

    private func forget(_ number: Int, of host: Int) {
        for index in [host, 3] { told[index].removeAll { $0.number == number } }
    }

    private func advance(by time: Int64) {
        now += time
        lines.advance(to: instant)
        collect()
    }

    private func collect() {
        for wake in lines.takeWakes() { wake() }
        let numbers = woken.numbers.withLock { numbers in
            defer { numbers = [] }
            return numbers
        }
        for number in numbers { tell(number) }
    }

    private func tell(_ number: Int) {
        guard let attempt = tickets[number], attempt.state == .waiting else {
            return complaints.append("\(number) is told, and does not wait")
        }
        let first = tickets.filter { $0.value.state == .waiting && $0.value.host == attempt.host }.keys.min()
        if first != number { complaints.append("\(number) before \(first ?? 0)") }
        tickets[number]?.state = .told
        for index in [attempt.host, 3] { told[index].append((number, now)) }
    }

    private func check() {
        if lines.count != tickets.count { complaints.append("\(lines.count) where \(tickets.count) are") }
        let waiting = Set(tickets.values.filter { $0.state == .waiting }.map(\.host))
        if waiting.isEmpty {
            if lines.nextTime != nil { complaints.append("waits for nothing") }
            return
        }
        // The first goes at the latest when a token is there for each that was sent, or told to go, until now.
        let latest = waiting.map { max(due($0, perHost), due(3, session)) }.min() ?? .min
        guard let next = lines.nextTime?.nanoseconds else { return complaints.append("nothing is waited for") }
        if next <= now { return complaints.append("has not told one that may go") }
        if next > max(now, latest) { complaints.append("\(next - max(now, latest)) ns longer than needed") }
    }

    /// When a token is there.
    private func due(_ index: Int, _ limit: RateLimit) -> Int64 {
        guard let period = Self.period(limit) else { return .min }
        let ends = [told[index].map(\.time), sent[index]].map { times in
            times.reduce(Int64.zero) { max($0, $1) + period }
        }
        return max(ends[0], ends[1]) - Int64(limit.requestBurst - 1) * period
    }

    private static func period(_ limit: RateLimit) -> Int64? { limit.requestsPerSecond.map { Int64(1e9 / $0) } }

    private func checkRate(_ limit: RateLimit, _ times: [Int64]) {
        guard let rate = limit.requestsPerSecond else { return }
        let lateness = RateLines.lateness / .seconds(1)
        for (index, start) in times.enumerated() {
            for (count, end) in times[index...].enumerated() {
                let most = rate * (Double(end - start) / 1e9 + lateness) + Double(limit.requestBurst)
                if Double(count + 1) > most + 1e-3 { return complaints.append("\(count + 1) requests, not \(most)") }
            }
        }
    }
}
