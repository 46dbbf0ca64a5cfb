// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

extension DataTaskDelegate {
    typealias StreamHandler = @Sendable (Data) -> Void

    /// The received part of a body, under a lock of its own: each event returns the action to take outside the lock,
    /// with user objects to release.
    ///
    /// While bytes are being delivered to the stream the end waits, so that no handler runs before the last of them.
    struct Body {
        /// The body, or the bytes that the stream has not received yet.
        private var body: BodyAccumulator
        /// Released after the last byte: it may retain the request.
        private var stream: StreamHandler?
        /// The body belongs to the stream, whether that still exists or not.
        private var isStreamed = false
        /// The callback queue is delivering, and continues until no bytes are left.
        private var isDelivering = false
        private var valve = Valve()
        private var isComplete = false
        /// Waits for the stream.
        private var end: End?
        /// The number of received bytes, streamed or not.
        private(set) var received: Int64 = 0
        var report: ProgressReport?
        /// The response has become a file.
        var isFile = false

        /// - Parameter limit: the maximum number of bytes to collect.
        init(limit: Int) { body = BodyAccumulator(limit: limit) }

        /// The collected body.
        var data: Data? { isStreamed || isFile ? nil : body.bytes }
    }
}

// Events of the task
extension DataTaskDelegate.Body {
    mutating func expect(_ length: Int) { if stream == nil { body.reserve(length) } }

    /// The action for received bytes.
    struct Intake {
        /// The callback queue must deliver them.
        var delivers = false
        /// The stream is behind: this task is to be paused.
        var held: SessionTask?
        /// The body exceeds the limit: give up.
        var overflows = false
        /// The report to update.
        var report: ProgressReport?
    }

    mutating func receive(_ bytes: Span<UInt8>, of task: SessionTask) -> Intake {
        received &+= Int64(bytes.count)
        if stream == nil { return Intake(overflows: body.take(bytes) == .overflowed, report: report) }
        body.pass(bytes)
        return Intake(
            delivers: startDelivering(), held: valve.fill(to: body.bytes.count, from: task), report: report)
    }

    /// Ends the task. Returns its end unless the stream still has bytes to receive; `delivers`: by the callback queue,
    /// which must be started.
    mutating func complete(with error: (any Error)?) -> (end: DataTaskDelegate.End?, delivers: Bool) {
        let last = DataTaskDelegate.End(error: body.failure.map { refusal($0, error) } ?? error)
        isComplete = true
        if stream == nil, !isDelivering { return (last, false) }
        end = last
        defer { isDelivering = true }
        return (nil, !isDelivering)
    }

    private func refusal(_ failure: SessionError.TransferFailure, _ error: (any Error)?) -> SessionError {
        let error = error as? SessionError
        return SessionError(
            .transfer(failure), phase: .body, origin: error?.origin,
            remoteAddress: error?.remoteAddress, wasSent: true)
    }

    /// Drops everything but the closure for the next body.
    mutating func reset() {
        body = BodyAccumulator(limit: body.limit)
        (isComplete, received, isFile) = (false, 0, false)
    }
}

// The stream
extension DataTaskDelegate.Body {
    struct StreamChange {
        /// The callback queue has to deliver the waiting bytes.
        var delivers = false
        /// The bytes wait until they are first at the gate.
        var isLate = false
        /// To be released.
        var held: SessionTask?
        let replaced: DataTaskDelegate.StreamHandler?
    }

    /// Passes bytes to `handler` from now on, or collects them from now on if it is nil.
    mutating func setStream(_ handler: DataTaskDelegate.StreamHandler?) -> StreamChange {
        var change = StreamChange(replaced: stream)
        isStreamed = handler != nil
        stream = isComplete && body.bytes.isEmpty ? nil : handler
        if handler == nil {
            change.held = valve.drain()
        } else {
            change.delivers = !isComplete && startDelivering()
            change.isLate = isComplete && !isDelivering && !body.bytes.isEmpty
        }
        return change
    }

    private mutating func startDelivering() -> Bool {
        if isDelivering || body.bytes.isEmpty { return false }
        isDelivering = true
        return true
    }

    struct Delivery {
        let bytes: Data
        let handler: DataTaskDelegate.StreamHandler
        /// To be released when these bytes are delivered.
        let held: SessionTask?
    }

    /// All bytes that wait for the stream.
    mutating func takeDelivery() -> Delivery? {
        guard let stream, !body.bytes.isEmpty else { return nil }
        return Delivery(bytes: body.takeAll(), handler: stream, held: valve.drain())
    }

    enum DeliveryStep {
        case deliver(Delivery)
        /// The stream has received all bytes. Returns the task's end, if the body is complete.
        case rest(DataTaskDelegate.End?)
    }

    /// The next action of the callback queue.
    mutating func nextStep() -> DeliveryStep {
        guard isDelivering else { return .rest(nil) }
        if let delivery = takeDelivery() { return .deliver(delivery) }
        isDelivering = false
        return .rest(end.take())
    }

    /// The request is over. Returns the stream, to be released; nil while bytes wait for a stream that was added after
    /// them: its waiter at the gate delivers them, and then calls again.
    mutating func takeStream() -> DataTaskDelegate.StreamHandler? {
        if isComplete, !body.bytes.isEmpty { return nil }
        return stream.take()
    }
}
