// SPDX-License-Identifier: Apache-2.0
@testable import TernIO
import Testing

/// Runs `body` as a task on a reactor of its own, so that it may touch the loop and its registrations.
func onLoop<T: Sendable>(
    by clock: TestClock? = nil, _ body: @escaping @Sendable (ReactorLoop) async throws -> T
) async throws -> T {
    let reactor = try Reactor(name: "tern-test", clock: clock)
    return try await Task(executorPreference: reactor) { try await body(reactor.loop) }.value
}

/// Lets the loop poll its sockets and deadlines once, and returns in the tick after.
func nextTurn(of loop: ReactorLoop) async {
    // The first is delivered in this tick or the next, the second after the next poll.
    for _ in 0..<2 {
        await withCheckedContinuation { turn in
            _ = loop.execute { turn.resume() }
        }
    }
}

/// Lets the loop run for `duration`, for what must not happen in it.
func elapse(_ duration: Duration, on loop: ReactorLoop) async {
    let timer = Probe()
    let token = loop.registerTimer(handler: timer)
    loop.setDeadline(MonotonicInstant.now.advanced(by: duration), for: token)
    _ = await timer.next()
    loop.deregister(token)
}
