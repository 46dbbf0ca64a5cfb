// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernEngine
import TernIO
import TernLock

/// Records the events of one task.
final class Transcript: SessionTaskDelegate {
    struct Contents: Sendable {
        /// The heads of redirects, of informational responses, and of the final response.
        var heads: HeadLog
        /// The last 1xx responses, at most ``maximumInformational``.
        var informational: [HTTPURLResponse] = []
        var response: HTTPURLResponse?
        /// Empty if the body is written as it arrives.
        var body: BodyAccumulator
        var bodySize = 0
        /// The bytes of the final response's content as they were received, before decoding.
        var receivedSize = 0
        /// The bytes of all requests, without bodies that are not in memory.
        var requestSize = 0
        /// The bytes of the request's body, the last time it was sent.
        var sentSize = 0
        /// Whether a part of the response was written to an output that cannot be undone.
        var isWrittenThrough = false
        /// Whether the heads were written where the body is, if they are.
        var hasWrittenHeads = false
        /// Whether the server, or the condition of `-z`, says that nothing has changed.
        var isUnchanged = false
        /// The file that the body was written to, if it is one.
        var path: String?
        var trailers = HeaderFields()
        var discardedTrailers = HeaderFields()
        var error: (any Error)?
        var metrics: TaskMetrics?
    }

    /// What happens to the body.
    enum BodyUse: Sendable {
        /// With the previous heads, this number of times.
        case write(to: BodyWriter, headCopies: Int)
        /// Collected, at most this number of bytes.
        case collect(limit: Int)
    }

    private struct State {
        var contents: Contents
        /// A request has been sent.
        var hasBegun = false
        /// The request was repeated on another connection, and that was told.
        var isRepeat = false
        /// The body is refused.
        var isRefused = false
        /// The body is not wanted, and no failure.
        var isUnneeded = false
        var isOutletOpen = false
        /// The position in the file of the body's first byte.
        var offset = 0
        var completion: CheckedContinuation<Void, Never>?
    }

    /// The maximum number of 1xx responses to remember.
    private static let maximumInformational = RedirectPolicy.maximumRememberedHops
    /// The maximum time to write the received bytes when the task has failed.
    private static let patienceAfterFailure = 1.0

    private let bodyUse: BodyUse
    private let headDump: HeadDump?
    private let verbose: VerboseReport?
    private let showsProxyHeads: Bool
    private let rules: ResponseRules
    private let progress: (any TransferProgress)?
    private let upload: (any TransferProgress)?
    private let configuration: SessionConfiguration?
    private let state: Lock<State>

    /// - Parameters:
    ///   - headDump: the output of `-D`, for the heads that exceed the window of a ``HeadLog``.
    ///   - showsProxyHeads: whether heads of answers to CONNECT are written with the others.
    ///   - progress: shows the progress of the body.
    ///   - upload: shows the progress of the request's content.
    ///   - configuration: that of the session, to count the bytes of requests; nil does not count them.
    ///   - earlierHeads: the heads of earlier attempts that have not been written.
    init(
        _ bodyUse: BodyUse, headDump: HeadDump? = nil, verbose: VerboseReport?, showsProxyHeads: Bool = true,
        rules: ResponseRules,
        progress: (any TransferProgress)?, upload: (any TransferProgress)? = nil,
        configuration: SessionConfiguration? = nil,
        earlierHeads: Data = Data()
    ) {
        self.bodyUse = bodyUse
        self.headDump = headDump
        self.verbose = verbose
        self.showsProxyHeads = showsProxyHeads
        self.rules = rules
        self.progress = progress
        self.upload = upload
        self.configuration = configuration
        let (limit, copies) =
            switch bodyUse {
            case .write(_, let copies): (0, copies)
            case .collect(let limit): (limit, 0)
            }
        let heads = HeadLog(isKept: copies > 0 || headDump != nil, earlier: earlierHeads)
        state = Lock(State(contents: Contents(heads: heads, body: BodyAccumulator(limit: limit))))
    }

    var contents: Contents { state.withLock { $0.contents } }

    /// Runs `task` to its end, and cancels it if the caller is cancelled.
    func record(_ task: SessionTask) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { $0.completion = continuation }
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
    }

    func task(_ task: SessionTask, willSendOn connection: ConnectionMetrics) {
        let request = task.currentRequest ?? task.originalRequest
        let size = configuration.map { Self.size(of: request, $0) } ?? 0
        let isFirst = state.withLock { state in
            defer { state.hasBegun = true }
            state.contents.sentSize = 0
            state.contents.requestSize += size
            return !state.hasBegun
        }
        let isRepeat = task.repeatCount > 0
        let isNew = state.withLock { state in
            defer { state.isRepeat = isRepeat }
            return isRepeat && !state.isRepeat
        }
        if isNew { tell { $0.repeating(request, task.repeatCount) } }
        if isFirst { tell { $0.switching(from: task.originalRequest.url?.absoluteString, to: request) } }
        if !task.isConnectionReused { keepHeads(ofProxies: connection.connectHeads, task) }
        tell { $0.sending(request, on: connection) }
    }

    /// The heads of answers to CONNECT, as curl shows them.
    private func keepHeads(ofProxies heads: [ResponseHead], _ task: SessionTask) {
        for head in heads {
            tell { $0.receiving(fromProxy: head, for: task.originalRequest) }
            keepHead(head, isShown: showsProxyHeads, task) {}
        }
    }

    private static func size(of request: URLRequest, _ configuration: SessionConfiguration) -> Int {
        ((try? request.encodedHead(configuration))?.count ?? 0) + (request.httpBody?.count ?? 0)
    }

    func task(
        _ task: SessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        let size = Int(clamping: totalBytesSent)
        let isFirst = state.withLock { state in
            defer { state.contents.sentSize = size }
            return state.contents.sentSize == 0
        }
        guard let upload else { return }
        let expected = totalBytesExpectedToSend
        if isFirst { upload.start(length: expected < 0 ? nil : Int(clamping: expected), from: 0) }
        upload.advance(to: size)
    }

    func task(_ task: SessionTask, didReceiveInformational response: HTTPURLResponse) {
        tell { $0.receiving(response, for: task.originalRequest) }
        state.withLock { state in
            if state.contents.informational.count == Self.maximumInformational {
                state.contents.informational.removeFirst()
            }
            state.contents.informational.append(response)
        }
        keepHead(response.head, task) {}
    }

    func task(_ task: SessionTask, didDiscard response: HTTPURLResponse) {
        tell { $0.receiving(response, for: task.originalRequest) }
        keepHead(response.head, task) {}
    }

    func task(
        _ task: SessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, _ question: DelegateQuestion<RedirectAnswer>
    ) {
        tell { $0.receiving(response, for: task.originalRequest) }
        tell { $0.switching(from: response.value(forHTTPHeaderField: "Location"), to: request) }
        if let refusal = rules.refusal(ofRedirectTo: request.url?.scheme) { refuse(refusal, task) }
        // A chain without end is followed only as fast as its heads are written.
        let next = rules.followed(
            request, after: response, original: task.originalRequest, sent: task.currentRequest ?? task.originalRequest)
        keepHead(response.head, task) { question.answer(.follow(next)) }
    }

    func task(_ task: SessionTask, didReceive response: HTTPURLResponse) {
        tell { $0.receiving(response, for: task.originalRequest) }
        keepHead(response.head, task) {}
        let heads = state.withLock { state in
            state.contents.response = response
            return state.contents.heads.waiting
        }
        // Later output may be on the same terminal.
        upload?.settle()
        let request = task.currentRequest ?? task.originalRequest
        let length = response.bodyLength(answering: request)
        // RFC 9112 §6.3
        let hasContent = request.httpMethod != "HEAD" && ![204, 304].contains(response.statusCode) && length != 0
        if rules.isWholeAlready(response) { return state.withLock { $0.isRefused = true } }
        if let refusal = rules.refusal(of: response, length: length) ?? rules.refusal(of: response)
            ?? rules.refusal(ofRest: response)
        {
            return refuse(refusal, task)
        }
        guard case .write(let outlet, let headCopies) = bodyUse else { return }
        let isUnneeded = rules.isBodyUnneeded(in: response)
        // Behind the head, which a task that has ended no longer writes.
        defer { if isUnneeded, hasContent { task.cancel() } }
        if isUnneeded {
            let isUnchanged = rules.isUnchanged(response)
            state.withLock { ($0.isUnneeded, $0.contents.isUnchanged) = (true, isUnchanged) }
            if headCopies == 0 { return }
        }
        let beginning = rules.beginning(with: response)
        let offset = Int(clamping: beginning ?? rules.offset ?? 0)
        state.withLock { $0.offset = offset }
        progress?.start(length: length.map { $0 &+ offset }, from: offset)
        outlet.describe(response)
        if let beginning { outlet.begin(at: beginning) }
        open(outlet, for: task)
        write(heads, headCopies, to: outlet, for: task)
        state.withLock { $0.contents.hasWrittenHeads = true }
    }

    /// As in curl, each line is written for all options that ask for it before the next one.
    private func write(_ heads: Data, _ copies: Int, to outlet: BodyWriter, for task: SessionTask) {
        if heads.isEmpty || copies == 0 { return }
        outlet.write(copies == 1 ? heads : ResponseHeadText.repeating(heads, copies), for: task)
    }

    /// Calls `next` when there is room for one more head: at once, or when those that wait have been written.
    private func keepHead(
        _ head: ResponseHead, isShown: Bool = true, _ task: SessionTask, next: @escaping @Sendable () -> Void
    ) {
        let heads = state.withLock { $0.contents.heads.append(head, isShown: isShown) }
        guard case .write(let outlet, let headCopies) = bodyUse else { return dump(heads, for: task, next) }
        if let heads, headCopies > 0 {
            upload?.settle()
            open(outlet, for: task)
            write(heads, headCopies, to: outlet, for: task)
        }
        if verbose == nil, heads == nil { return next() }
        outlet.whenWritten { self.dump(heads, for: task, next) }
    }

    private func dump(_ heads: Data?, for task: SessionTask, _ next: @escaping @Sendable () -> Void) {
        guard let heads, let headDump else { return next() }
        headDump.write(heads, for: task, completion: next)
    }

    private func open(_ outlet: BodyWriter, for task: SessionTask) {
        let isOpen = state.withLock { state in
            defer { state.isOutletOpen = true }
            state.contents.isWrittenThrough = outlet.isWrittenThrough
            return state.isOutletOpen
        }
        if !isOpen { outlet.open(for: task) }
    }

    func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) {
        let (size, offset, isRefused) = state.withLock { state in
            state.contents.bodySize += bytes.count
            return (state.contents.bodySize, state.offset, state.isRefused || state.isUnneeded)
        }
        if isRefused { return }
        if let refusal = rules.refusal(ofLength: size) { return refuse(refusal, task) }
        progress?.advance(to: size &+ offset)
        switch bodyUse {
        case .write(let outlet, _): outlet.write(unsafe bytes.withUnsafeBufferPointer { unsafe Data($0) }, for: task)
        case .collect: collect(bytes, from: task)
        }
    }

    func task(_ task: SessionTask, didReceiveTrailers trailers: HeaderFields) {
        tell { $0.receiving(trailers: trailers, for: task.originalRequest) }
        let bytes = ResponseHeadText.bytes(trailers)
        let (isWanted, forDump) = state.withLock { state in
            state.contents.trailers = trailers
            return (!state.isRefused && !state.isUnneeded, state.contents.heads.append(trailers: bytes))
        }
        guard case .write(let outlet, let headCopies) = bodyUse else { return dump(forDump, for: task) {} }
        if isWanted { write(bytes, headCopies, to: outlet, for: task) }
        dump(forDump, for: task) {}
    }

    func task(_ task: SessionTask, didDiscardTrailers discarded: HeaderFields) {
        tell { $0.receiving(discardedTrailers: discarded, for: task.originalRequest) }
        state.withLock { $0.contents.discardedTrailers = discarded }
    }

    func task(_ task: SessionTask, didCompleteWith ending: SessionError?) {
        if let failed = task.metrics?.hops.last?.failedConnection { keepHeads(ofProxies: failed.connectHeads, task) }
        tell { $0.cached(task.metrics?.cacheStatus) }
        let (error, isWhole) = state.withLock { state -> (SessionError?, Bool) in
            let error = state.isUnneeded && ending.map(Self.isCancellation) == true ? nil : ending
            state.contents.metrics = task.metrics
            if state.contents.response != nil {
                state.contents.receivedSize = Int(clamping: task.countOfBytesReceived)
            }
            if state.contents.error == nil { state.contents.error = error ?? refusalOfWhole(state.contents) }
            // A file to which nothing was written stays as it is.
            return (error, error == nil && !state.isRefused && (!state.isUnneeded || state.isOutletOpen))
        }
        guard case .write(let outlet, _) = bodyUse else { return end(nil) }
        outlet.finish(isWhole: isWhole) { failure, path in
            self.state.withLock { $0.contents.path = path }
            self.end(failure)
        }
        guard let patience = Self.patience(with: task, after: error) else { return }
        WorkThreads.shared.run(after: .seconds(patience)) {
            outlet.abandon()
            self.end(OutputError("the body", .tooSlow))
        }
    }

    private func refuse(_ refusal: RefusedResponse, _ task: SessionTask) {
        state.withLock { state in
            state.isRefused = true
            state.contents.error = refusal
        }
        task.cancel()
    }

    private func refusalOfWhole(_ contents: Contents) -> RefusedResponse? {
        contents.response.flatMap { rules.refusal(ofWhole: $0, received: contents.receivedSize) }
    }

    private func collect(_ bytes: Span<UInt8>, from task: SessionTask) {
        let isTooMuch = state.withLock { state in
            guard state.contents.body.take(bytes) == .overflowed, let failure = state.contents.body.failure else {
                return false
            }
            state.contents.error = SessionError(.transfer(failure), phase: .body, wasSent: true)
            return true
        }
        if isTooMuch { task.cancel() }
    }

    private func tell(_ lines: (VerboseReport) -> [String]) {
        guard let lines = verbose.map(lines), !lines.isEmpty else { return }
        switch bodyUse {
        case .write(let outlet, _): outlet.tell(lines)
        case .collect: StandardStreams.tell(lines.joined(separator: "\n"))
        }
    }

    /// Nil has no limit: a slow reader gets everything in the end.
    private static func patience(with task: SessionTask, after error: SessionError?) -> Double? {
        if error != nil { return patienceAfterFailure }
        guard let total = task.originalRequest.timeouts?.total, let metrics = task.metrics, let end = metrics.end else {
            return nil
        }
        return max(0, total / .seconds(1) - end.seconds(since: metrics.start))
    }

    /// A task is cancelled only because its body could not be written, or is refused.
    private func end(_ failure: (any Error)?) {
        let completion = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard let completion = state.completion.take() else { return nil }
            if let failure, state.contents.error.map(Self.isCancellation) ?? true { state.contents.error = failure }
            return completion
        }
        completion?.resume()
    }

    private static func isCancellation(_ error: any Error) -> Bool {
        if let error = error as? SessionError, case .cancelled = error.reason { true } else { false }
    }
}

/// The heads of all responses to one request: redirects, informational ones, the final one. A chain of redirects may
/// have no end, so their number and size are unbounded: only a window of them stays in memory.
struct HeadLog {
    /// The most that waits to be written, in bytes, before one more head.
    static let window = 256 * 1024

    /// Bytes of all heads so far.
    private(set) var size = 0
    /// What has not been taken yet.
    private(set) var waiting: Data
    /// Whether the heads are written somewhere. If not, they are only counted.
    let isKept: Bool

    /// - Parameter earlier: the heads of earlier attempts that have not been taken.
    init(isKept: Bool, earlier: Data = Data()) {
        self.isKept = isKept
        waiting = earlier
    }

    /// Adds a head. Returns everything that waits when it exceeds the window, for the caller to write at once.
    ///
    /// - Parameter isShown: whether it is written, too.
    mutating func append(_ head: ResponseHead, isShown: Bool = true) -> Data? {
        append(Data(head.encoded), isShown: isShown)
    }

    /// The trailer section stands behind the head.
    mutating func append(trailers: Data) -> Data? { append(trailers, isShown: true) }

    private mutating func append(_ head: Data, isShown: Bool) -> Data? {
        size += head.count
        guard isKept, isShown else { return nil }
        waiting.append(head)
        return waiting.count > Self.window ? takeAll() : nil
    }

    /// Returns what waits, and forgets it.
    private mutating func takeAll() -> Data {
        defer { waiting = Data() }
        return waiting
    }
}
