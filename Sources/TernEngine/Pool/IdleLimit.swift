// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// How long a server keeps an idle connection, as far as that was learnt from connections that it has closed without a
/// word. A request that must not arrive twice uses no connection that has been idle for longer than a part of this; all
/// others are repeated if they meet a close.
///
/// Of several closes the earliest counts, and the weight of the limit grows with each that agrees with it. A connection
/// that outlives the limit contradicts it: when there were as many of these as the limit has weight, it is raised. So a
/// server that was restarted is trusted again after a few requests, and one that has closed a hundred connections is not
/// trusted for the sake of one. A limit that nothing confirms ends after minutes, the later the more weight it has.
///
/// A pure value: time is an argument.
struct IdleLimit: Sendable {
    private struct Lesson {
        var limit: Duration
        /// How many connections have to outlive the limit before it is raised.
        var weight: Int
        /// From then on it says nothing.
        var end: MonotonicInstant
    }

    /// How long a limit of weight 1 counts.
    private static let life = Duration.seconds(120)
    private static let maximumWeight = 32
    /// What threads may wait for a processor, here and at the server, between the moment at which each of them looks at the
    /// connection and the one at which it acts.
    private static let delay = Duration.milliseconds(1)

    private var lesson: Lesson?

    /// Whether there is, or was, a limit.
    var isLearnt: Bool { lesson != nil }

    /// The limit, if there is one that counts.
    func limit(at now: MonotonicInstant) -> Duration? { current(at: now)?.limit }

    /// Whether a request that must not arrive twice may use a connection that has been idle for `age`: half of the limit
    /// is left when the request arrives. The server may be off by the rest.
    ///
    /// - Parameter roundTrip: how long a packet to the server, and its answer, travel.
    func allows(_ age: Duration, roundTrip: Duration, at now: MonotonicInstant) -> Bool {
        guard let limit = limit(at: now) else { return true }
        let arrival: Duration = max(.zero, age) + max(.zero, roundTrip) + Self.delay
        return arrival * 2 < limit
    }

    /// The server has closed a connection that had been idle for `age`.
    mutating func closed(after age: Duration, at now: MonotonicInstant) {
        var (limit, weight) = (max(.zero, age), 1)
        if let lesson = current(at: now) {
            // That it keeps some for longer says nothing about those that it closes sooner.
            if limit > (lesson.limit + Self.delay) * 2 { return }
            (limit, weight) = (min(limit, lesson.limit), min(2 * lesson.weight, Self.maximumWeight))
        }
        lesson = Lesson(limit: limit, weight: weight, end: now.advanced(by: Self.life * weight))
    }

    /// A connection that had been idle for `age` was alive.
    mutating func survived(_ age: Duration, at now: MonotonicInstant) {
        guard var lesson = current(at: now), age > lesson.limit else { return }
        lesson.weight -= 1
        if lesson.weight == 0 { (lesson.limit, lesson.weight) = (age, 1) }
        self.lesson = lesson
    }

    /// When the limit stops to count.
    var end: MonotonicInstant? { lesson?.end }

    private func current(at now: MonotonicInstant) -> Lesson? {
        // A clock that was set back must not prolong it.
        guard let lesson, now < lesson.end, lesson.end <= now.advanced(by: Self.life * Self.maximumWeight) else {
            return nil
        }
        return lesson
    }
}

/// The limits that were learnt by pools that exist no more: a server that closes each connection leaves its pool empty.
struct IdleLimits {
    /// Servers choose how many hosts there are: they redirect to them.
    static let maximumCount = 256

    private var limits: [HTTPOrigin: IdleLimit] = [:]

    var count: Int { limits.count }

    /// Keeps the limit of a pool that ends.
    mutating func keep(_ limit: IdleLimit, of origin: HTTPOrigin, at now: MonotonicInstant) {
        guard limit.limit(at: now) != nil else { return }
        if limits.count >= Self.maximumCount, limits[origin] == nil { forgetSome(at: now) }
        limits[origin] = limit
    }

    /// Returns the limit for a new pool.
    mutating func take(_ origin: HTTPOrigin) -> IdleLimit {
        if limits.isEmpty { return IdleLimit() }
        return limits.removeValue(forKey: origin) ?? IdleLimit()
    }

    /// Forgets those that do not count any more, or else the one that ends first.
    private mutating func forgetSome(at now: MonotonicInstant) {
        limits = limits.filter { $0.value.limit(at: now) != nil }
        guard limits.count >= Self.maximumCount,
            let first = limits.min(by: { ($0.value.end ?? now) < ($1.value.end ?? now) })
        else { return }
        limits[first.key] = nil
    }
}
