// SPDX-License-Identifier: Apache-2.0
import Synchronization
import TernLock

/// A clock that stands still until a test moves it, for the deadlines of a session.
///
/// A session whose configuration has one runs on reactors of its own, and all of its deadlines and delays follow the
/// clock: a limit of a minute passes when the test moves the clock by a minute, and not before. Sockets work in real time.
///
/// ```swift
/// import TernEngine
///
/// let clock = TestClock()
/// var configuration = SessionConfiguration()
/// configuration.clock = clock
/// configuration.timeouts.idle = .seconds(60)
/// let session = Session(configuration: configuration)
/// async let answer = session.data(for: URLRequest(string: "http://127.0.0.1:8080/"))
/// // … wait until the server has the request …
/// clock.advance(by: .seconds(60))
/// print(try await answer)  // throws an error with the reason `timedOut(.idle)`
/// ```
///
/// What follows the clock: all `Timeouts`, delays of retries and of event streams, `Retry-After`, second attempts, the
/// start of the next address (RFC 8305), rates, retry budgets, circuit breakers, challenge timeouts, idle and aged
/// connections, the limit of `finish(within:)`, and the times of metrics and events. What does not: dates, by which
/// certificates, cookies, stored responses and HSTS expire; the window of an `AuthenticationInterceptor`, which belongs to
/// no session; the interval of `connectionGauges(every:)`; and how a reactor divides its own time and threads are kept
/// idle.
///
/// ## Waiting for an event, then moving the clock
///
/// A test that moves the clock too early moves it before the deadline is set, which then counts from the later time. So
/// wait for what the client does first: for an event of an observer or a timeline, or for the server to have the request.
/// A reactor reads the clock once in each tick, and every deadline that it sets within the tick counts from that time.
/// Therefore a test that has seen an event may move the clock at once, on any thread and also within the observer:
/// everything that the engine sets up in the same tick counts from before the move. Bytes that arrived before the move
/// are processed before the deadlines that it lets pass.
///
/// Any thread may use it, and any number of sessions. It does not retain them.
public final class TestClock: Clock {
    private struct WeakLoop: Sendable {
        weak var loop: ReactorLoop?
    }

    private struct State: Sendable {
        var loops: [WeakLoop] = []
        var sleeps: [UInt64: (end: MonotonicInstant, sleep: Sleep)] = [:]
        var lastNumber: UInt64 = 0
    }

    /// Sums with any limit stay within the range of instants.
    private static let end = MonotonicInstant(nanoseconds: 1 << 62)

    private let time: Atomic<Int64>
    private let state = Lock(State())

    /// Creates a clock that stands at the present time of the kernel's monotonic clock.
    public init() { time = Atomic(MonotonicInstant.now.nanoseconds) }

    /// The time of the clock. A reactor takes it over in its next tick.
    public var now: MonotonicInstant { MonotonicInstant(nanoseconds: time.load(ordering: .acquiring)) }

    /// The clock stands at any nanosecond.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// Moves the clock forward, and wakes the reactors and sleeps whose time has come. Does not wait for them.
    ///
    /// - Parameter duration: a negative one is 0, and the clock stops about 146 years after the machine's start.
    public func advance(by duration: Duration) {
        let (loops, due) = state.withLock { state in
            let now = min(Self.end, now.advanced(by: max(.zero, duration)))
            time.store(now.nanoseconds, ordering: .releasing)
            let due = state.sleeps.filter { $0.value.end <= now }
            for number in due.keys { state.sleeps[number] = nil }
            return (Self.present(&state), due.values.map(\.sleep))
        }
        for loop in loops { loop.clockMoved() }
        for sleep in due { sleep.end() }
    }

    /// Suspends the calling task until the clock has reached `deadline`.
    ///
    /// - Parameters:
    ///   - deadline: a time of this clock.
    ///   - tolerance: without effect.
    /// - Throws: `CancellationError` if the task is cancelled first.
    public func sleep(until deadline: MonotonicInstant, tolerance: Duration? = nil) async throws(CancellationError) {
        let sleep = Sleep()
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        defer { _ = state.withLock { $0.sleeps.removeValue(forKey: number) } }
        try await sleep.wait {
            let isOver = state.withLock { state in
                if deadline <= now { return true }
                state.sleeps[number] = (deadline, sleep)
                return false
            }
            if isOver { sleep.end() }
        }
    }

    /// Wakes `loop`, which reads the clock, whenever it moves. Does not retain it.
    func add(_ loop: ReactorLoop) {
        state.withLock { state in
            state.loops.removeAll { $0.loop == nil }
            state.loops.append(WeakLoop(loop: loop))
        }
    }

    /// The loops that exist.
    private static func present(_ state: inout State) -> [ReactorLoop] {
        let loops = state.loops.compactMap(\.loop)
        if loops.count < state.loops.count { state.loops.removeAll { $0.loop == nil } }
        return loops
    }

    /// The number of loops that read the clock.
    package var loopCount: Int { state.withLock { Self.present(&$0).count } }

    /// The number of tasks that sleep.
    package var sleepCount: Int { state.withLock { $0.sleeps.count } }

    /// The time of the tick on the thread of a loop that reads the clock, and elsewhere that of the clock.
    fileprivate var timeOfTick: MonotonicInstant {
        state.withLock { Self.present(&$0) }.first(where: \.isCurrent)?.now ?? now
    }
}

extension MonotonicInstant {
    /// The time by `clock`; nil for the kernel's. Of a test clock the time of the tick, on the thread of a loop that
    /// reads it, so that what follows from an event counts from that.
    package static func now(by clock: TestClock?) -> MonotonicInstant { clock?.timeOfTick ?? .now }
}

extension Duration {
    /// Suspends the calling task for this time, or longer, by `clock`; nil for the kernel's.
    package func sleep(by clock: TestClock?) async throws(CancellationError) {
        guard let clock else { return try await WorkThreads.shared.sleep(for: self) }
        try await clock.sleep(until: MonotonicInstant.now(by: clock).advanced(by: self))
    }
}
