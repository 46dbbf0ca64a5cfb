// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
import TernHTTP1
package import TernIO
import TernLock

/// A connection of bytes, modelled on `URLSessionStreamTask`: opened to a host and port by `resume()`, or taken over
/// from a request whose server has switched protocols.
///
/// The task receives only what reads ask for: a peer that sends more waits. Written bytes wait until the peer takes
/// them. Reads are served in order, and so are writes. The task ends when both halves are closed, when the connection
/// breaks, or by `cancel()`, which drops unsent bytes; each pending call then fails. While the task is suspended it
/// neither reads nor writes.
///
/// A task with a delegate lives until it has ended, as every task does. Without one it lives as long as it is
/// referenced or a call is pending; releasing it closes the connection. It does not retain its session.
open class StreamTask: SessionTask, @unchecked Sendable {
    /// Receives the result of a read: the data, whether it is the last, or the error.
    public typealias ReadCompletion = @Sendable (Data?, Bool, (any Error)?) -> Void
    /// Receives the result of a write: nil, or the error.
    public typealias WriteCompletion = @Sendable ((any Error)?) -> Void
    typealias ReadResult = Result<(Data?, Bool), SessionError>

    let stream: RawStream?
    private let hasDelegate: Bool
    private let origin: HTTPOrigin?
    /// Where it leads, or why it leads nowhere; nil for one that takes over a connection.
    private let route: Result<Route, RouteRule.Refusal>?
    /// What there is to say of the connection; nil before it is requested, and after the end. On the reactor's thread.
    @safe @exclusivity(unchecked) private var record: AttemptMetrics?

    /// Without a delegate the task lives as long as it is referenced; without a stream it fails as soon as it is
    /// started.
    init(
        _ request: URLRequest, _ stream: RawStream?, along route: Result<Route, RouteRule.Refusal>? = nil,
        delegate: (any SessionTaskDelegate)?, defaults: TaskDefaults, at place: TaskPlace?
    ) {
        (self.stream, self.route) = (stream, route)
        origin = try? request.destination.get().origin
        hasDelegate = delegate != nil
        super.init(request: request, delegate: delegate ?? NoOpTaskDelegate.shared, defaults: defaults, at: place)
    }

    /// Creates a task of no session, as ``SessionTask/init()`` does: it opens no connection.
    public override init() {
        (stream, route, origin, hasDelegate) = (nil, nil, nil, false)
        super.init()
    }

    deinit {
        let isStarted = lifecycle.withLock { $0.isRunning }
        _ = stream?.perform { $0.end(StreamFailure(reason: .cancelled)) }
        if isStarted { table?.ended() }
    }

    override var isListed: Bool { hasDelegate }

    override func begin(on shard: Shard<AttemptDriver>) {
        guard let stream else { return endWithoutLoop() }
        beginAttempt(at: shard.loop.now)
        listen(on: shard)
        if let reason = obstacle(on: shard) {
            // A task that is started from the end of another must not grow the stack each time.
            _ = stream.perform { $0.end(StreamFailure(reason: reason, phase: .request)) }
        } else {
            stream.open()
        }
    }

    private func obstacle(on shard: Shard<AttemptDriver>) -> SessionError.Reason? {
        if shard.isClosed { return .sessionInvalidated }
        do throws(RouteRule.Refusal) {
            _ = try route?.get()
            return nil
        } catch {
            return error.reason
        }
    }

    private func listen(on shard: Shard<AttemptDriver>) {
        guard let stream else { return }
        stream.listener = self
        stream.isPaused = isSuspended
        shard.admit(stream)
        stream.whenOver = { [weak shard, weak stream] in if let stream { shard?.dismiss(stream) } }
    }

    /// Takes over the connection of another task.
    func takeOver(_ handover: Handover, on shard: Shard<AttemptDriver>) {
        let now = exactNow
        lifecycle.withLock { $0.begin(at: now) }
        table?.began()
        tellStart(now)
        beginAttempt(at: shard.loop.now)
        listen(on: shard)
        stream?.attach(handover)
    }

    override func cancelNow() {
        guard let stream else { return end(error(.cancelled, phase: .request)) }
        stream.end(StreamFailure(reason: .cancelled))
        // Before it begins the stream has no listener.
        if !stream.isEnding { end(error(.cancelled, phase: .request)) }
    }

    override func updatePause() { stream?.isPaused = isSuspended }

    private func beginAttempt(at now: MonotonicInstant) {
        record = AttemptMetrics(request: originalRequest, start: now)
        tell(.attemptBegan(isHedge: false), by: hopAttempts.next(), at: now)
    }

    override func finalize(_ error: SessionError?) {
        if var record = record.take() {
            let now = exactNow
            if let error { record.failed(error.reason, at: now) }
            record.left(at: now, try? route?.get())
            tell(.attemptOver(record), by: hopAttempts.count, at: now)
        }
        complete(error)
    }
}

// Calls
extension StreamTask {
    /// Reads at least `minBytes` and at most `maxBytes` bytes, within `timeout` from the moment when it is the first
    /// pending read; nil sets no limit. At the end there may be fewer, or none. A read whose timeout passes fails
    /// alone: its bytes stay for the next one. Data is nil if there is none. `completionHandler` is called once, on a
    /// reactor's thread.
    public func readData(
        ofMinLength minBytes: Int, maxLength maxBytes: Int, timeout: Duration?,
        completionHandler: @escaping ReadCompletion
    ) {
        read(minBytes, maxBytes, timeout) { result in
            switch result {
            case .success((let data, let isAtEnd)): completionHandler(data, isAtEnd, nil)
            case .failure(let error): completionHandler(nil, false, error)
            }
        }
    }

    /// Writes all of `data`, within `timeout` from the moment when it is the first pending write; nil sets no limit. Done when the kernel has the bytes, or they are sealed and about to be sent. If the timeout passes when a
    /// part of it has been sent, it is the last write: the peer could not interpret the bytes after it.
    /// `completionHandler` is called once, on a reactor's thread.
    public func write(_ data: Data, timeout: Duration?, completionHandler: @escaping WriteCompletion) {
        send(data, timeout) { completionHandler($0) }
    }

    /// Stops reading once the pending reads are done: the connection is half closed, and the peer is not notified.
    /// Later reads fail with `streamClosed`.
    public func closeRead() { ask { $0.closeRead() } }

    /// Sends the end of the stream after the pending writes. Later writes fail with `streamClosed`; reading continues.
    public func closeWrite() { ask { $0.closeWrite() } }

    /// Secures the connection by TLS once all earlier calls are done; later calls wait. The session's policies for the
    /// host evaluate the server, pins included, and the task fails if they refuse it. Bytes that arrived before and
    /// were not read are an error, because they were not protected.
    public func startSecureConnection() {
        guard let origin else { return }
        let server = HTTPOrigin(scheme: .https, host: origin.host, port: origin.port)
        ask { $0.secure(with: server) }
    }

    func read(_ least: Int, _ most: Int, _ timeout: Duration?, _ completion: @escaping @Sendable (ReadResult) -> Void) {
        let isAsked = ask { stream in
            stream.read(least: least, most: most, limit: timeout) { result in
                switch result {
                case .success((let bytes, let isAtEnd)):
                    completion(.success((bytes.isEmpty ? nil : bytes, isAtEnd)))
                case .failure(let failure): completion(.failure(self.error(failure)))
                }
            }
        }
        if !isAsked { completion(.failure(unasked)) }
    }

    func send(_ data: Data, _ timeout: Duration?, _ completion: @escaping @Sendable (SessionError?) -> Void) {
        let isAsked = ask { stream in
            stream.write(data, limit: timeout) { completion($0.map(self.error)) }
        }
        if !isAsked { completion(unasked) }
    }

    @discardableResult
    private func ask(_ work: @escaping @Sendable (RawStream) -> Void) -> Bool {
        stream?.perform { work($0) } ?? false
    }

    /// The error of a call without a reactor to run on.
    private var unasked: SessionError { SessionError(defaults.failure, phase: .request, origin: origin) }

    private func error(_ failure: StreamFailure) -> SessionError {
        SessionError(
            failure.reason, phase: failure.phase, origin: origin, remoteAddress: failure.remoteAddress,
            wasSent: record?.connection != nil, proxy: (try? route?.get())?.proxyReference)
    }
}

extension StreamTask: StreamListener {
    private var listener: (any StreamTaskDelegate)? { delegate as? any StreamTaskDelegate }

    func streamReadClosed() { listener?.streamTaskDidCloseRead(self) }

    func streamWriteClosed() { listener?.streamTaskDidCloseWrite(self) }

    func streamOpened(_ metrics: ConnectionMetrics) {
        let now = exactNow
        record?.opened(metrics, at: now)
        tell(.willSend(on: metrics), by: hopAttempts.count, at: now)
        listener?.streamTask(self, didOpen: metrics)
    }

    func error(of failure: StreamFailure?) -> SessionError? { failure.map(error) }

    func streamEnded(_ failure: StreamFailure?) { end(failure.map(error)) }
}

// A protocol over the stream
extension StreamTask {
    /// Has `speaker` take and make the bytes of the stream from now on. False if the reactor has ended: nothing is called then.
    package func hand(over speaker: any StreamProtocol) -> Bool { ask { $0.hand(over: speaker) } }

    /// Runs `work` on the reactor's thread, and then goes on with the stream. False if the reactor has ended.
    package func perform(_ work: @escaping @Sendable () -> Void) -> Bool {
        ask { $0.goOn(after: work) }
    }

    /// The failure with what is known of the connection.
    package func error(_ reason: SessionError.Reason) -> SessionError { error(StreamFailure(reason: reason)) }

    /// The reactor of the stream, if it has one.
    package var reactorLoop: ReactorLoop? { stream?.loop }

    /// Tells observers, on the reactor's thread.
    package func tell(_ event: TaskEvent) {
        if isObserved { tell(event, by: hopAttempts.count, at: exactNow) }
    }
}

extension StreamTask {
    /// The same as with a completion handler: data, nil if there is none, and whether it is the last. Cancelling the
    /// waiting Swift task cancels the stream.
    public func readData(
        ofMinLength minBytes: Int, maxLength maxBytes: Int, timeout: Duration?
    ) async throws(SessionError) -> (Data?, Bool) {
        let result = await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { (continuation: UnsafeContinuation<ReadResult, Never>) in
                // Every read is answered once.
                read(minBytes, maxBytes, timeout) { unsafe continuation.resume(returning: $0) }
            }
        } onCancel: {
            cancelOnceStarted()
        }
        return try result.get()
    }

    /// The same as with a completion handler. Cancelling the waiting Swift task cancels the stream.
    public func write(_ data: Data, timeout: Duration?) async throws(SessionError) {
        let error = await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { (continuation: UnsafeContinuation<SessionError?, Never>) in
                // Every write is answered once.
                send(data, timeout) { unsafe continuation.resume(returning: $0) }
            }
        } onCancel: {
            cancelOnceStarted()
        }
        if let error { throw error }
    }
}

/// Receives the events of a ``StreamTask``, on the reactor's thread, as URLSession's stream delegate does. The caller
/// of a read receives its data.
public protocol StreamTaskDelegate: SessionTaskDelegate {
    /// No more can be read: a read has reached the end, `closeRead()` was called, or the connection broke.
    func streamTaskDidCloseRead(_ task: StreamTask)
    /// No more can be written: the end was sent, or the connection broke.
    func streamTaskDidCloseWrite(_ task: StreamTask)
    /// The connection is open, or has been secured.
    func streamTask(_ task: StreamTask, didOpen connection: ConnectionMetrics)
}

extension StreamTaskDelegate {
    /// Does nothing.
    public func streamTaskDidCloseRead(_ task: StreamTask) {}
    /// Does nothing.
    public func streamTaskDidCloseWrite(_ task: StreamTask) {}
    /// Does nothing.
    public func streamTask(_ task: StreamTask, didOpen connection: ConnectionMetrics) {}
}

/// Takes over the connection of a request that asks for another protocol (`Upgrade`) when the server agrees (101, RFC
/// 9110 §7.8). Without such a delegate the task fails with `upgradeNotTaken`.
public protocol UpgradeDelegate: SessionTaskDelegate {
    /// The connection uses the other protocol from now on, and belongs to `stream`: keep a reference to it, or it is
    /// closed. The bytes after the server's 101 are read first. The head was delivered as any other; the task itself
    /// ends without an error after this call.
    func task(_ task: SessionTask, didBecome stream: StreamTask)
}

// On the reactor's thread: the server has switched protocols.
extension SessionTask {
    var takesOverConnections: Bool { delegate is any UpgradeDelegate }

    /// Ends, and leaves the connection to a stream task.
    func takeOver(_ handover: Handover) {
        guard let shard = lifecycle.withLock({ $0.shard }) else { return }
        guard let delegate = delegate as? any UpgradeDelegate, !shard.isClosed else {
            handover.discard(on: shard.loop)
            return end(error(.sessionInvalidated, phase: .head))
        }
        let opener = StreamOpener(shard.shared, along: attempt.route, within: deadlines.limits.connect)
        let stream = StreamTask(
            hop.request, RawStream(loop: shard.loop, assistant: opener), delegate: nil,
            defaults: defaults, at: TaskPlace(shard: shard, table: table))
        stream.created()
        opener.respondent = stream
        stream.takeOver(handover, on: shard)
        delegate.task(self, didBecome: stream)
        end(nil)
    }
}
