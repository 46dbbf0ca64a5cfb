// SPDX-License-Identifier: Apache-2.0
import TernLock

extension Session {
    /// Opens connections that later requests like `request` will use, so that these wait for no handshake: until `count`
    /// are idle or being opened, as far as the limits of the session allow. Nothing is sent but handshakes, and no rate
    /// limit counts them. What changes or refuses requests, such as HSTS, proxies and egress policies, changes or refuses
    /// this one.
    ///
    /// Returns the number of such connections. Throws the first error if one cannot be opened; the others are kept.
    /// Idle connections are closed after ``SessionConfiguration/maximumIdleTime``.
    @discardableResult
    public func prepare(for request: URLRequest, count: Int = 1) async throws(SessionError) -> Int {
        let (places, count) = (taskPlaces(for: request), min(count, configuration.httpMaximumConnectionsPerHost))
        // A session without reactors fails like any request to it.
        let shares =
            places.isEmpty
            ? [(count, TaskPlace?.none)]
            : places.enumerated().map { index, place in
                (count / places.count + (index < count % places.count ? 1 : 0), place)
            }
        let defaults = TaskDefaults(forPreparation: taskDefaults)
        let tasks = shares.filter { $0.0 > 0 }.map { share, place in
            PreparationTask(request, count: share, defaults: defaults, at: place)
        }
        await withTaskCancellationHandler {
            for task in tasks { task.resume() }
            for task in tasks { await task.end() }
        } onCancel: {
            for task in tasks { task.cancelOnceStarted() }
        }
        var openCount = 0
        for task in tasks { openCount += try task.result.get() }
        return openCount
    }
}

/// Goes the way of a request up to its connection, which it leaves to others.
private final class PreparationTask: SessionTask, @unchecked Sendable {
    private let count: Int
    private let completion: PreparationDelegate
    private let openCount = Lock(0)

    init(_ request: URLRequest, count: Int, defaults: TaskDefaults, at place: TaskPlace?) {
        self.count = count
        completion = PreparationDelegate()
        super.init(request: request, delegate: completion, defaults: defaults, at: place)
    }

    override func connect(on shard: Shard<AttemptDriver>) {
        guard let route = attempt.route else { return }
        let preparation = Preparation(count) { failure, openCount in
            self.openCount.withLock { $0 = openCount }
            if let failure { self.connectionFailed(failure) } else { self.end(nil) }
        }
        shard.prepare(preparation, on: route, deadline: deadlines.connecting(since: shard.loop.now))
    }

    /// Waits until the task has ended, also if the current task is cancelled.
    func end() async { await completion.ended() }

    var result: Result<Int, SessionError> {
        completion.error.map { .failure($0) } ?? .success(openCount.withLock { $0 })
    }
}

private final class PreparationDelegate: SessionTaskDelegate {
    private struct State: Sendable {
        var error: SessionError?
        var hasEnded = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state = Lock(State())

    var error: SessionError? { state.withLock { $0.error } }

    func ended() async {
        await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.waiter = continuation }
                return state.hasEnded
            }
            if hasEnded { continuation.resume() }
        }
    }

    func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
        let waiter = state.withLock { state in
            (state.error, state.hasEnded) = (error, true)
            return state.waiter.take()
        }
        waiter?.resume()
    }
}
