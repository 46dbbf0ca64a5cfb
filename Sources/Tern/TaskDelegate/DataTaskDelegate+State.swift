// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

extension DataTaskDelegate {
    /// What the delegate's lock guards: each event says what is to be done about it, outside the lock. It also gives back
    /// what of the user's goes with it: a `deinit` may ask the request something, and find the lock taken.
    ///
    /// While bytes are on their way to the stream the gate stays shut, so that no handler runs before the last of them.
    struct State {
        private let request: URLRequest?
        private(set) var response: HTTPURLResponse?
        /// The body, or what of it the stream has not had yet.
        private var body: BodyAccumulator
        /// Gone when it has had the last byte: it may hold the request.
        private var stream: StreamHandler?
        /// The body is the stream's, gone or not.
        private var isStreamed = false
        /// The callback queue has been asked to deliver and will not rest before it has run out of bytes.
        private var isDelivering = false
        private var valve = Valve()
        private var isComplete = false
        private var error: (any Error)?
        private var metrics: TaskMetrics?
        private var validations: [DataRequest.Validation] = []
        private var isValidated = false
        private var gate = Gate<Visitor>()

        /// - Parameters:
        ///   - error: why there will be no task.
        ///   - bodyLimit: the most to collect, in bytes.
        init(request: URLRequest?, error: (any Error)?, bodyLimit: Int) {
            self.request = request
            self.error = error
            body = BodyAccumulator(limit: bodyLimit)
        }
    }

    /// Who waits for the task to complete.
    enum Visitor {
        /// To be run on the callback queue.
        case handler(Handler)
        /// A Swift task, resumed where it is.
        case awaiter(CheckedContinuation<Void, Never>)
    }
}

// On the reactor's thread
extension DataTaskDelegate.State {
    mutating func receive(_ response: HTTPURLResponse) {
        self.response = response
        if stream == nil, let length = request.flatMap(response.bodyLength(answering:)) { body.reserve(length) }
    }

    /// What bytes that have come call for.
    struct Intake {
        /// The callback queue has to be asked to deliver them.
        var delivers = false
        /// The stream is behind: this task is to be held.
        var held: SessionTask?
        /// The body is more than may be collected: give up.
        var overflows = false
    }

    mutating func receive(_ bytes: Span<UInt8>, of task: SessionTask) -> Intake {
        if stream == nil { return Intake(overflows: body.take(bytes) == .overflowed) }
        body.pass(bytes)
        return Intake(delivers: startDelivering(), held: valve.fill(to: body.bytes.count, from: task))
    }

    /// The first error wins. `delivers`: the callback queue, which lets go of the stream, has to be asked once more; or else
    /// `visitor` is let in.
    mutating func complete(
        with error: EngineError?, metrics: TaskMetrics?
    ) -> (delivers: Bool, visitor: DataTaskDelegate.Visitor?) {
        self.error = self.error ?? (body.isTooLarge ? tooLarge(error) : error)
        self.metrics = metrics
        isComplete = true
        if isDelivering { return (false, nil) }
        guard stream != nil else { return (false, gate.open()) }
        isDelivering = true
        return (true, nil)
    }

    private func tooLarge(_ error: EngineError?) -> EngineError {
        EngineError(
            .transfer(.bodyTooLarge(limit: body.limit)), phase: .body, origin: error?.origin,
            remoteAddress: error?.remoteAddress,
            wasSent: true)
    }
}

// On any thread
extension DataTaskDelegate.State {
    mutating func admit(_ visitor: DataTaskDelegate.Visitor) -> DataTaskDelegate.Visitor? { gate.admit(visitor) }

    /// Whoever is in at the gate leaves. Returns who is let in.
    mutating func nextVisitor() -> DataTaskDelegate.Visitor? { gate.next() }

    /// Has no effect once the validations have run.
    mutating func add(_ validation: @escaping DataRequest.Validation) {
        if !isValidated { validations.append(validation) }
    }

    /// What handlers get to see, and the validations that have to run before, unless there is an error already: the first
    /// time all of them, then none.
    mutating func validate() -> (Completion, [DataRequest.Validation]) {
        isValidated = true
        defer { validations = [] }
        let completion = Completion(
            request: request, response: response, data: isStreamed ? nil : body.bytes, error: error, metrics: metrics)
        return (completion, validations)
    }

    /// A validation has failed.
    mutating func fail(_ error: any Error) { self.error = error }
}

// The stream
extension DataTaskDelegate.State {
    struct StreamChange {
        /// The callback queue has to be asked to deliver what is there.
        var delivers = false
        /// What is there has to wait its turn at the gate.
        var isLate = false
        /// To be released.
        var held: SessionTask?
        let replaced: DataTaskDelegate.StreamHandler?
    }

    /// Hands bytes on to `handler` from now on, or accumulates them from now on if it is nil.
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
        defer { if isComplete { self.stream = nil } }
        return Delivery(bytes: body.takeAll(), handler: stream, held: valve.drain())
    }

    enum CallbackStep {
        case deliver(Delivery)
        /// See to whoever is in at the gate, and let go of a stream that has had the last byte.
        case receive(DataTaskDelegate.Visitor?, spent: DataTaskDelegate.StreamHandler?)
    }

    /// What the callback queue, having been asked, is to do first.
    mutating func firstStep() -> CallbackStep {
        guard isDelivering else { return .receive(gate.visitor, spent: nil) }
        if let delivery = takeDelivery() { return .deliver(delivery) }
        isDelivering = false
        return isComplete ? .receive(gate.open(), spent: stream.take()) : .receive(nil, spent: nil)
    }
}
