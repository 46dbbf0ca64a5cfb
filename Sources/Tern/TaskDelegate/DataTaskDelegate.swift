// SPDX-License-Identifier: Apache-2.0
public import Foundation
import Synchronization
package import TernEngine
import TernLock

/// Collects the body of one request, or streams it.
open class DataTaskDelegate: TaskDelegate, @unchecked Sendable {
    private let body: Lock<Body>

    override init(request: URLRequest?, error: (any Error)? = nil, context: RequestContext) {
        body = Lock(Body(context.bodyLimits))
        super.init(request: request, error: error, context: context)
    }

    /// The body received so far; nil if it goes to `stream(closure:)` or into a file.
    open override var data: Data? { body.withLock { $0.data } }

    /// How much of the body has arrived, in bytes; the total is -1 if it is unknown. Changes on the queue of the
    /// reports, and can cancel, suspend and resume the request.
    public var progress: Progress { receivedReport.progress }

    /// The bytes of the body received so far, streamed or not.
    public var countOfBytesReceived: Int64 { body.withLock { $0.received } }

    /// The announced length of the body in bytes; nil if it is not known.
    public var expectedContentLength: Int64? {
        let expected = response?.expectedContentLength ?? -1
        return expected < 0 ? nil : expected
    }

    /// Passes the body to the handler from now on, first the bytes received so far; nil collects it again.
    func stream(_ handler: StreamHandler?) {
        let change = body.withLock { $0.setStream(handler) }
        if change.delivers { context.callbacks.post(self) }
        if change.isLate {
            handle { [self] _ in
                deliver(body.withLock { $0.takeDelivery() })
                releaseClosures()
            }
        }
        change.held?.release()
    }

    /// The report of the response body, made on first use.
    var receivedReport: ProgressReport {
        report(\.received) {
            (countOfBytesReceived, response?.expectedContentLength ?? 0)
        } register: { report in
            body.withLock { $0.report = report }
        }
    }

    override func receive(_ response: HTTPURLResponse, of task: SessionTask) {
        super.receive(response, of: task)
        guard let length = response.bodyLength(answering: task.originalRequest), BodyAccumulator.reserves(length) else {
            return
        }
        body.withLock { $0.expect(length) }
    }

    override func receive(_ bytes: Span<UInt8>, of task: SessionTask) {
        let intake = body.withLock { $0.receive(bytes, of: task) }
        if intake.delivers { context.callbacks.post(self) }
        intake.held?.hold()
        if intake.overflows { task.cancel() }
        if let report = intake.report {
            report.update(body.withLock { $0.received }, of: expectedContentLength ?? -1)
        }
    }

    override func take(_ event: DownloadEvent, of download: SessionDownloadTask) {
        switch event {
        case .replaced:
            super.take(event, of: download)
            body.withLock { $0.isFile = true }
        case .resumed: break
        case .wrote(_, let total, let expected): body.withLock { $0.wrote(total) }?.update(total, of: expected)
        case .finished(let location):
            guard let closure = override(\.fileFinished) else { return }
            let file = closure(context.session, download, location)
            state.withLock { $0.makeRareState().file = file }
        }
    }

    override func holds(_ location: URL) -> Bool { file != nil }

    /// Sets the closure that moves the file if the response becomes one, and returns its new location.
    package func setFileMover(_ mover: @escaping @Sendable (Session, SessionDownloadTask, URL) -> URL) {
        setOverride(\.fileFinished, mover)
    }

    /// The location of the file that the response became; nil without a mover.
    package var file: URL? { state.withLock { $0.rareState?.file } }

    override func complete(with error: (any Error)?) {
        let (end, delivers) = body.withLock { $0.complete(with: error) }
        if let end { self.end(with: end.error) }
        if delivers { context.callbacks.post(self) }
    }

    override func deliverBody() {
        while true {
            switch body.withLock({ $0.nextStep() }) {
            case .deliver(let delivery): deliver(delivery)
            case .rest(nil): return
            case .rest(let end?):
                if !mayBeRetried { releaseClosures() }
                return self.end(with: end.error)
            }
        }
    }

    override func reset() {
        super.reset()
        // An interrupted download has left its partial file, and no request resumes it.
        if let data = (error as? SessionError)?.resumeData, let notes = try? ResumeData(data) {
            try? FileManager.default.removeItem(at: notes.partialFile)
        }
        body.withLock { $0.reset() }
    }

    override func releaseClosures() {
        super.releaseClosures()
        let stream = body.withLock { $0.takeStream() }
        withExtendedLifetime(stream) {}
    }

    private func deliver(_ delivery: Body.Delivery?) {
        guard let delivery else { return }
        delivery.handler(delivery.bytes)
        delivery.held?.release()
    }
}

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

        init(_ limits: BodyLimits) { body = BodyAccumulator(limits) }

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

    /// The body goes into a file, and this much of it is there. Returns the report to update.
    mutating func wrote(_ total: Int64) -> ProgressReport? {
        received = total
        return report
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
        body.handOver()
        if stream == nil, !isDelivering { return (last, false) }
        end = last
        defer { isDelivering = true }
        return (nil, !isDelivering)
    }

    private func refusal(_ failure: SessionError.TransferFailure, _ error: (any Error)?) -> SessionError {
        let error = error as? SessionError
        return SessionError(
            .transfer(failure), phase: .body, origin: error?.origin,
            remoteAddress: error?.remoteAddress, wasSent: true, proxy: error?.proxy)
    }

    /// Drops everything but the closure for the next body.
    mutating func reset() {
        body = BodyAccumulator(body.limits)
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

/// Handles a request that sends a body, and collects the response body.
open class UploadTaskDelegate: DataTaskDelegate, @unchecked Sendable {
    /// How much of the content has been sent, in bytes; the total is -1 if it is unknown. Changes on the queue of the
    /// reports, and can cancel, suspend and resume the request.
    public var uploadProgress: Progress { sentReport.progress }

    /// The bytes reported so far.
    private let reported = Lock<Int64>(0)

    var sentReport: ProgressReport {
        report(\.sent) { (reported.withLock { $0 }, task?.countOfBytesExpectedToSend ?? 0) }
    }

    override func sent(_ count: Int64, total: Int64, expected: Int64, of task: SessionTask) {
        reported.withLock { $0 = total }
        let report = state.withLock { $0.rareState?.progress.sent }
        report?.update(total, of: expected)
    }
}
