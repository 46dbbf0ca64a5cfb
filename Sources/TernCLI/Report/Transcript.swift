// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLibC
import TernEngine
import TernIO
import TernLock

/// Records the events of one task, and of its last attempt alone where there are several.
final class Transcript: ContinuedReceiver, SessionDownloadDelegate {
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
        /// The position in the file at which a download was continued.
        var offset: Int64 = 0
        var trailers = HeaderFields()
        var discardedTrailers = HeaderFields()
        var error: (any Error)?
        var metrics: TaskMetrics?

        /// Another attempt follows, which may have a response of its own.
        fileprivate mutating func forgetResponse() {
            (response, informational, bodySize, sentSize) = (nil, [], 0, 0)
            body = BodyAccumulator(body.limits)
            (trailers, discardedTrailers) = (HeaderFields(), HeaderFields())
            hasWrittenHeads = false
        }
    }

    /// What happens to the body.
    enum BodyUse: Sendable {
        /// With the previous heads, this number of times.
        case write(to: BodyWriter, headCopies: Int)
        /// Collected, at most this number of bytes.
        case collect(limit: Int)
        /// The engine writes it to a file, or reads events from it.
        case elsewhere
    }

    /// Returns the lines that tell of a retry.
    ///
    /// - Parameters:
    ///   - contents: what has come before.
    ///   - isContinued: whether the rest of it is requested.
    typealias RetryDescription =
        @Sendable (
            _ retry: RetryMetrics, _ contents: Contents, _ isContinued: Bool, _ task: SessionTask
        ) -> [String]

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
        /// The request before its content broke off.
        var wholeRequest: URLRequest?
        /// The rest that is requested, of content that broke off; nil for a request for the whole.
        var resumption: ResumeStateMachine?
        /// Where that begins.
        var restOffset: Int64 = 0
        /// The last validator that a response to the request had.
        var validator: StrongValidator?
        /// Lines about the retry that follows a response. They stand behind its head.
        var notice: [String] = []
        /// A retry follows, and has not been sent.
        var isRetrying = false
        var completion: CheckedContinuation<Void, Never>?

        /// Where the part begins that is requested; nil for the whole.
        func start(_ rules: ResponseRules) -> Int64? { resumption == nil ? rules.offset : restOffset }
    }

    /// The maximum number of 1xx responses to remember.
    private static let maximumInformational = RedirectPolicy.maximumRememberedHops
    /// The time to write the received bytes when the task has failed, and the least when it has not.
    private static let patience = 1.0

    private let bodyUse: BodyUse
    private let headDump: HeadDump?
    private let verbose: VerboseReport?
    private let showsProxyHeads: Bool
    private let rules: ResponseRules
    private let progress: (any TransferProgress)?
    private let upload: (any TransferProgress)?
    private let configuration: SessionConfiguration?
    private let describe: RetryDescription
    private let state: Lock<State>

    /// - Parameters:
    ///   - headDump: the output of `-D`, for the heads that exceed the window of a ``HeadLog``.
    ///   - showsProxyHeads: whether heads of answers to CONNECT are written with the others.
    ///   - progress: shows the progress of the body.
    ///   - upload: shows the progress of the request's content.
    ///   - configuration: that of the session, to count the bytes of requests; nil does not count them.
    ///   - describe: tells a retry.
    init(
        _ bodyUse: BodyUse, headDump: HeadDump? = nil, verbose: VerboseReport?, showsProxyHeads: Bool = true,
        rules: ResponseRules,
        progress: (any TransferProgress)?, upload: (any TransferProgress)? = nil,
        configuration: SessionConfiguration? = nil,
        describe: @escaping RetryDescription = { _, _, _, _ in [] }
    ) {
        self.bodyUse = bodyUse
        self.headDump = headDump
        self.verbose = verbose
        self.showsProxyHeads = showsProxyHeads
        self.rules = rules
        self.progress = progress
        self.upload = upload
        self.configuration = configuration
        self.describe = describe
        let (limit, copies) =
            switch bodyUse {
            case .write(_, let copies): (0, copies)
            case .collect(let limit): (limit, 0)
            case .elsewhere: (0, 0)
            }
        let heads = HeadLog(isKept: copies > 0 || headDump != nil)
        state = Lock(State(contents: Contents(heads: heads, body: BodyAccumulator(limit: limit))))
    }

    var contents: Contents { state.withLock { $0.contents } }

    /// Runs `task` to its end, and cancels it if the caller is cancelled.
    func record(_ task: SessionTask) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { $0.completion = continuation }
                task.resume()
                if let limit = rules.speedLimit { watch(task, [], limit) }
            }
        } onCancel: {
            task.cancel()
        }
    }

    /// Looks each second at what has come and gone in the time of a limit.
    ///
    /// - Parameter counts: those of the seconds before.
    private func watch(_ task: SessionTask, _ counts: [Int64], _ limit: SpeedLimit) {
        let count = task.countOfBytesReceived + task.countOfBytesSent
        // Another attempt counts from its beginning, and its wait does not.
        let isNew = state.withLock { $0.isRetrying } || counts.last.map { count < $0 } ?? false
        let counts = (isNew ? [] : counts.suffix(limit.seconds)) + [count]
        if counts.count > limit.seconds, let first = counts.first, let last = counts.last,
            (last - first) / Int64(limit.seconds) < Int64(limit.bytesPerSecond),
            state.withLock({ $0.completion != nil })
        {
            return refuse(.tooSlow(limit), task)
        }
        WorkThreads.shared.run(after: .seconds(1)) { [weak self, weak task] in
            guard let self, let task, state.withLock({ $0.completion != nil }) else { return }
            watch(task, counts, limit)
        }
    }

    func task(_ task: SessionTask, willSendOn connection: ConnectionMetrics) {
        let request = task.currentRequest ?? task.originalRequest
        let size = configuration.map { Self.size(of: request, $0) } ?? 0
        let isFirst = state.withLock { state in
            defer { state.hasBegun = true }
            state.contents.sentSize = 0
            if state.isRetrying {
                (state.isRetrying, state.contents.requestSize) = (false, 0)
                state.contents.heads.countAnew()
            }
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
        tell(
            state.withLock { state in
                defer { state.notice = [] }
                return state.notice
            })
    }

    func requestOfRest(after reason: SessionError.Reason, of task: SessionTask) -> URLRequest? {
        state.withLock { state in
            if state.isRefused || state.isUnneeded || state.contents.isWrittenThrough { return nil }
            var request = state.wholeRequest ?? task.hopRequest
            state.wholeRequest = request
            if let response = state.contents.response, state.contents.bodySize > 0 {
                state.restOffset = Int64(state.offset + state.contents.bodySize)
                state.resumption = rules.resumption(after: response, at: state.restOffset, state.validator)
            }
            state.resumption?.prepare(&request)
            return request
        }
    }

    /// What has come is discarded, unless the rest of it is requested.
    func task(_ task: SessionTask, willRetry retry: RetryMetrics, _ question: DelegateQuestion<RetryAnswer>) {
        let (contents, isContinued, isOpen) = state.withLock { state in
            (state.contents, state.resumption != nil, state.isOutletOpen)
        }
        if contents.isWrittenThrough { return question.answer(.doNotRetry) }
        let notice = describe(retry, contents, isContinued, task)
        if case .failure = retry.cause { tell(notice) }
        state.withLock { state in
            if case .status = retry.cause { state.notice = notice }
            state.isRetrying = true
            // A download that goes on keeps the response that began it.
            if case .elsewhere = bodyUse { return }
            state.contents.forgetResponse()
            if !isContinued { state.isOutletOpen = false }
        }
        progress?.settle()
        if isOpen, !isContinued, case .write(let outlet, _) = bodyUse { outlet.restart(for: task) }
        question.answer(.retry)
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
        let (meaning, start) = state.withLock { state -> (ResumeStateMachine.Meaning?, Int64?) in
            let start = state.start(rules)
            state.validator = StrongValidator(of: response.head) ?? state.validator
            return (state.resumption?.head(response), start)
        }
        if rules.isWholeAlready(response, from: start) { return state.withLock { $0.isRefused = true } }
        if let refusal = rules.refusal(of: response, length: length) ?? rules.refusal(of: response)
            ?? rules.refusal(ofRest: response, from: start, meaning)
        {
            return refuse(refusal, task)
        }
        guard case .write(let outlet, let headCopies) = bodyUse else {
            progress?.start(length: length, from: 0)
            return
        }
        let isUnneeded = rules.isBodyUnneeded(in: response)
        // Behind the head, which a task that has ended no longer writes.
        defer { if isUnneeded, hasContent { task.cancel() } }
        if isUnneeded {
            let isUnchanged = rules.isUnchanged(response)
            state.withLock { ($0.isUnneeded, $0.contents.isUnchanged) = (true, isUnchanged) }
            if headCopies == 0 { return }
        }
        // The whole came in place of the rest.
        if case .whole? = meaning {
            state.withLock { ($0.resumption, $0.isOutletOpen) = (nil, false) }
            outlet.restart(for: task)
        }
        let offset = if case .rest? = meaning { Int(clamping: start ?? 0) } else { Int(clamping: rules.offset ?? 0) }
        state.withLock { $0.offset = offset }
        progress?.start(length: length.map { $0 &+ offset }, from: offset)
        outlet.describe(response)
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
        case .elsewhere: break
        }
    }

    func downloadTask(_ task: SessionDownloadTask, didResumeAtOffset offset: Int64, expectedTotalBytes: Int64) {
        state.withLock { $0.contents.offset = offset }
        progress?.start(length: expectedTotalBytes < 0 ? nil : Int(expectedTotalBytes), from: Int(offset))
    }

    func downloadTask(
        _ task: SessionDownloadTask, didWriteData count: Int64, totalBytesWritten total: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        progress?.advance(to: Int(total))
        state.withLock { $0.contents.bodySize = Int(total) }
    }

    func downloadTask(_ task: SessionDownloadTask, didFinishDownloadingTo location: URL) {}

    /// The file of a download is known.
    func choose(_ target: URL) { state.withLock { $0.contents.path = target.relativePath } }

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
        if case .download(.unsuccessful(let response))? = ending?.reason, contents.response == nil {
            self.task(task, didReceive: response)
        }
        if let failed = task.metrics?.hops.last?.failedConnection { keepHeads(ofProxies: failed.connectHeads, task) }
        tell { $0.cached(task.metrics?.cacheStatus) }
        let (error, use) = state.withLock { state -> (SessionError?, BodyWriter.Ending) in
            let error = state.isUnneeded && ending.map(Self.isCancellation) == true ? nil : ending
            state.contents.metrics = task.metrics
            if state.contents.response != nil {
                state.contents.receivedSize = Int(clamping: task.countOfBytesReceived)
            }
            if state.contents.error == nil {
                state.contents.error = error.map(Self.told) ?? refusalOfWhole(state.contents, from: state.start(rules))
            }
            // A file to which nothing was written stays as it is.
            if state.isRefused || state.isUnneeded && !state.isOutletOpen { return (error, .unwanted) }
            return (error, error == nil ? .whole : error.map(Self.isCancellation) == true ? .unwanted : .brokenOff)
        }
        guard case .write(let outlet, _) = bodyUse else { return end(nil) }
        outlet.finish(use) { failure, path in
            self.state.withLock { $0.contents.path = path }
            self.end(failure)
        }
        guard let patience = Self.patience(with: task, after: error) else { return }
        WorkThreads.shared.run(after: .seconds(patience)) {
            outlet.abandon()
            self.end(OutputError("the body", .tooSlow))
        }
    }

    /// In terms of the options.
    private static func told(_ error: SessionError) -> any Error {
        guard case .download(.tooLong(let limit)) = error.reason else { return error }
        return RefusedResponse.tooLarge(limit: Int(clamping: limit))
    }

    private func refuse(_ refusal: RefusedResponse, _ task: SessionTask) {
        state.withLock { state in
            state.isRefused = true
            state.contents.error = refusal
        }
        task.cancel()
    }

    private func refusalOfWhole(_ contents: Contents, from offset: Int64?) -> RefusedResponse? {
        contents.response.flatMap { rules.refusal(ofWhole: $0, received: contents.receivedSize, from: offset) }
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
        if let verbose { tell(lines(verbose)) }
    }

    private func tell(_ lines: [String]) {
        if lines.isEmpty { return }
        switch bodyUse {
        case .write(let outlet, _): outlet.tell(lines)
        case .collect, .elsewhere: StandardStreams.tell(lines.joined(separator: "\n"))
        }
    }

    /// Nil has no limit: a slow reader gets everything in the end.
    private static func patience(with task: SessionTask, after error: SessionError?) -> Double? {
        if error != nil { return patience }
        guard let total = task.originalRequest.timeouts?.total, let metrics = task.metrics, let end = metrics.end else {
            return nil
        }
        // The limit is of each attempt.
        let start = metrics.hops.last?.attempts.last?.start ?? metrics.start
        return max(patience, total / .seconds(1) - end.seconds(since: start))
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
