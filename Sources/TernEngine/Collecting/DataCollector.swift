// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Synchronization
import TernHTTP1
import TernIO

/// The delegate of `Session.data(for:)` and of tasks with a completion handler.
///
/// Written before `resume()` and then only by the reactor's thread, until the task has ended; then by the waiter. Hence
/// `@unchecked Sendable`. The listener is called once because a task completes once, which justifies `@safe`.
@safe
final class DataCollector: ContentReceiver, @unchecked Sendable {
    typealias Outcome = Result<(Data, HTTPURLResponse), SessionError>

    @safe
    private enum Listener {
        case absent
        case continuation(UnsafeContinuation<Void, Never>)
        case handler(@Sendable (Outcome) -> Void)
    }

    // Unchecked: it runs no other code, so accesses never overlap.
    @safe @exclusivity(unchecked) private var body: BodyAccumulator
    private var response: HTTPURLResponse?
    private var error: SessionError?
    /// The loop on which the response arrived.
    private var loop: ReactorLoop?
    private var listener = Listener.absent
    /// From now on other threads may read what the reactor wrote.
    private let isOver = Atomic<Bool>(false)

    init(_ limits: BodyLimits) {
        body = BodyAccumulator(limits)
    }

    init(_ limits: BodyLimits, _ completionHandler: @escaping @Sendable (Outcome) -> Void) {
        body = BodyAccumulator(limits)
        listener = .handler(completionHandler)
    }

    func start(_ task: SessionTask, _ continuation: UnsafeContinuation<Void, Never>) {
        unsafe listener = .continuation(continuation)
        task.resume(runsInline: true)
    }

    func task(_ task: SessionTask, didReceive response: HTTPURLResponse) {
        self.response = response
        loop = task.loop
        guard let length = response.bodyLength(answering: task.originalRequest) else { return }
        guard body.admits(length) else { return task.cancel() }
        // A body that does not arrive at once is received in place.
        if length > ReactorLoop.bufferSize / 2 { _ = unsafe body.room(for: length) } else { body.reserve(length) }
    }

    func room(for count: Int) -> UnsafeMutableRawBufferPointer? { unsafe body.room(for: count) }

    func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) {
        if body.take(bytes) == .overflowed { task.cancel() }
    }

    func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
        let listener = listener
        self.listener = .absent
        self.error = error
        isOver.store(true, ordering: .releasing)
        switch listener {
        case .absent: break
        case .continuation(let continuation):
            if let loop { unsafe loop.resume(continuation) } else { unsafe continuation.resume() }
        case .handler(let handler):
            handler(Result { () throws(SessionError) in try takeOutcome(of: task) })
        }
    }

    /// Returns the result of `task`, which has ended. Call once: the body is moved, not copied.
    func takeOutcome(of task: SessionTask) throws(SessionError) -> (Data, HTTPURLResponse) {
        let isOver = isOver.load(ordering: .acquiring)
        assert(isOver)
        // Of a failure, too, no byte stays.
        let data = body.takeAll()
        if let failure = body.failure { throw task.error(.transfer(failure), phase: .body) }
        if let error { throw error }
        guard let response = response.take() else { throw task.error(.transfer(.connectionLost(nil)), phase: .head) }
        return (data, response)
    }
}
