// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernFiles
import TernHTTP1
import TernIO
import TernLock

/// The delegate of a download: writes the body to its file, and forwards all other events to the user's delegate.
///
/// Written before `resume()` and then by the thread that delivers the task's events, one after another; any thread may
/// use `resumeDataRequests`. Hence `@unchecked Sendable`.
final class DownloadDriver: ContentReceiver, ContinuedReceiver, @unchecked Sendable {
    private enum Stage {
        /// No content has arrived. Exits: writing, finishing, over.
        case waiting(DownloadFile.Plan)
        /// Exits: resuming, finishing.
        case writing(FileSink)
        /// The content broke off, and a retry requests the rest, or all of it. Exits: writing, finishing.
        case resuming(FileSink)
        /// No more content will arrive. Exit: over.
        case finishing(FileSink)
        case over
    }

    private struct ResumeDataRequests {
        var isOver = false
        var handlers: [@Sendable (Data?) -> Void] = []
    }

    private var place: DownloadDestination
    private var partialFile: PartialFile?
    private var resumption: ResumeStateMachine
    private var delegate: (any SessionDownloadDelegate)?
    private var stage: Stage
    /// Why the response is refused.
    private var refusal: SessionError.DownloadFailure?
    /// The response that began the content, and the resume data of the content.
    private var content: (response: HTTPURLResponse, resumeData: ResumeData?)?
    /// The request for the whole, once the content has broken off.
    private var wholeRequest: URLRequest?
    private var expectedLength: Int64?
    private var receivedLength: Int64 = 0
    private var toldLength: Int64 = 0
    /// The number of bytes to come that the file has already.
    private var ignoredLength: Int64 = 0
    /// The offset of the rest, until all before it is written.
    private var untoldOffset: Int64?
    private var isLooking = false
    private var keepsFile = false
    /// The other parts, while they are received.
    private var parts: PartTasks?
    /// Whether the content was ended where other parts continue it.
    private var isCut = false
    /// The download of the whole, if the resource has changed after that.
    private var wholeTask: SessionDownloadTask?
    private var isWholePaused = false
    private let resumeDataRequests = Lock(ResumeDataRequests())

    init(_ place: DownloadDestination, _ partialFile: PartialFile?, _ delegate: any SessionDownloadDelegate) {
        self.place = place
        self.partialFile = partialFile
        self.delegate = delegate
        resumption = ResumeStateMachine(
            partialFile.map {
                ResumeStateMachine.PartialContent(
                    validator: $0.data.validator, length: $0.data.countOfBytesReceived ?? 0,
                    totalLength: $0.data.countOfBytesExpectedToReceive, source: $0.data.source, end: place.part?.end)
            }, wantsFileOnly: place.wantsFileOnly)
        stage = .waiting(DownloadFile.Plan(place: place))
    }

    /// Receives a part of the content that `data` describes.
    convenience init(
        _ range: Range<Int64>, of data: ResumeData, in file: SharedFile, _ delegate: any SessionDownloadDelegate
    ) {
        let partialFile = PartialFile(file, data.kept(at: file.file.path, range.lowerBound))
        self.init(.part(file, end: range.upperBound), partialFile, delegate)
    }

    /// The request to send for `request`.
    func prepared(_ request: URLRequest) -> URLRequest {
        var request = request
        resumption.begin(request)
        let isExact = place.settings.map { $0.isResumable || $0.verification != nil || $0.parts != nil } ?? false
        guard isExact || partialFile != nil else { return request }
        if partialFile != nil { resumption.prepare(&request) }
        // Ranges and digests count the bytes as sent, codings included (RFC 9110 §14.1.2, RFC 9530 §3).
        request.headers["Accept-Encoding"] = "identity"
        request.decodesContent = false
        return request
    }

    /// Keeps the file during the call that tells the delegate about it.
    func keepFile() { keepsFile = true }

    /// Calls `handler` at the end, with the resume data. False, and no call, if the download has ended.
    func askForResumeData(_ handler: @escaping @Sendable (Data?) -> Void) -> Bool {
        resumeDataRequests.withLock { requests in
            if requests.isOver { return false }
            requests.handlers.append(handler)
            return true
        }
    }
}

// Events of the task
extension DownloadDriver {
    var answersServerTrustChallenges: Bool { delegate?.answersServerTrustChallenges ?? false }

    func handle(_ event: TaskEvent, of task: SessionTask) {
        switch event {
        case .response(let response, let question): received(response, of: task, question)
        case .serverTrust(_, let question) where delegate == nil: question.answer(.performDefaultHandling)
        case .willRetry(_, let question) where delegate == nil: question.answer(.retry)
        case .willCache(let question) where delegate == nil: question.answer(question.proposal)
        default: delegate?.handle(event, of: task)
        }
    }

    private func received(
        _ response: HTTPURLResponse, of task: SessionTask, _ question: DelegateQuestion<ResponseAnswer>
    ) {
        let meaning = resumption.head(response)
        if place.part != nil, let refusal = Self.refusal(ofPart: meaning, response) { return refuse(refusal, question) }
        if case .askAgain = meaning {
            var request = task.hopRequest
            resumption.prepare(&request)
            return question.answer(instead: request)
        }
        if case .wrong(let error) = meaning { return refuse(.wrongPart(error), question) }
        if case .resuming(let sink) = stage {
            switch meaning {
            case .rest(let offset, let totalLength): return resume(sink, at: offset, totalLength, of: task, question)
            // What was written is none of it.
            case .other: return refuse(.unsuccessful(response), question)
            case .whole, .askAgain, .wrong: break
            }
        }
        if place.wantsFileOnly, !meaning.isFile(response) {
            return refuse(.unsuccessful(response), question)
        }
        place = place.known(by: response)
        guard let plan = plan(for: response, meaning, answering: task) else { return refuse(.noDigest, question) }
        if let limit = place.settings?.maximumLength, let length = expectedLength, length > limit {
            return refuse(.tooLong(limit: limit), question)
        }
        begin(plan, response, of: task) { delegate?.handle(.response(response, question), of: task) }
    }

    /// The response arrived for another task, and the delegate has received it.
    func expect(_ response: HTTPURLResponse, for task: SessionTask) {
        if let plan = plan(for: response, resumption.head(response), answering: task) {
            begin(plan, response, of: task) {}
        }
    }

    /// The content begins with this response: for the first time, or again. Calls `tell` to report the response.
    private func begin(
        _ plan: DownloadFile.Plan, _ response: HTTPURLResponse, of task: SessionTask, _ tell: () -> Void
    ) {
        content = (response, plan.resumeData)
        guard case .resuming(let sink) = stage else {
            stage = .waiting(plan)
            return tell()
        }
        endParts()
        sink.restart(plan, for: task)
        stage = .writing(sink)
        let isReplaced = receivedLength > 0
        (receivedLength, toldLength, ignoredLength, untoldOffset) = (0, 0, 0, nil)
        tell()
        if isReplaced, let task = task as? SessionDownloadTask {
            delegate?.handle(.resumed(at: 0, expected: expectedLength ?? -1), of: task)
        }
    }

    /// The rest of content that broke off comes, from this offset on. The response to the program remains the one that
    /// began the content.
    private func resume(
        _ sink: FileSink, at offset: Int64, _ totalLength: Int64?, of task: SessionTask,
        _ question: DelegateQuestion<ResponseAnswer>
    ) {
        expectedLength = totalLength
        ignoredLength = receivedLength - offset
        untoldOffset = receivedLength
        stage = .writing(sink)
        if let response = content?.response { task.keep(response, from: offset) }
        question.answer(.allow)
    }

    /// Nil if it lacks the required digest.
    private func plan(
        for response: HTTPURLResponse, _ meaning: ResumeStateMachine.Meaning, answering task: SessionTask
    ) -> DownloadFile.Plan? {
        var plan = DownloadFile.Plan(place: place)
        switch meaning {
        case .whole:
            expectedLength =
                response.bodyLength(answering: task.originalRequest).map(Int64.init)
                ?? (response.isContentDecoded ? nil : ResumeStateMachine.partLength(response.head))
            plan.partialFile = partialFile.map { ($0.file, 0) }
            if response.statusCode == 200 {
                plan.resumeData = ResumeData(
                    task.originalRequest, response, countOfBytesExpectedToReceive: expectedLength)
            }
        case .rest(let offset, let totalLength):
            expectedLength = totalLength
            plan.partialFile = partialFile.map { ($0.file, offset) }
            plan.resumeData = partialFile?.data
        case .other, .askAgain, .wrong:
            expectedLength = response.bodyLength(answering: task.originalRequest).map(Int64.init)
        }
        switch place.settings?.verification {
        case nil: break
        case .digest(let algorithm, let value): plan.digest = (algorithm, Array(value))
        case .reprDigest:
            plan.digest = ReprDigest.strongest(in: response.head.bytes(for: "Repr-Digest"))
            if plan.digest == nil { return nil }
        }
        return plan
    }

    private func refuse(_ refusal: SessionError.DownloadFailure, _ question: DelegateQuestion<ResponseAnswer>) {
        self.refusal = refusal
        question.answer(.cancel)
    }

    func room(for count: Int) -> UnsafeMutableRawBufferPointer? {
        guard ignoredLength == 0, !isCut, case .writing(let sink) = stage else { return nil }
        return unsafe sink.room(for: count)
    }

    func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) {
        guard refusal == nil, !isCut, let task = task as? SessionDownloadTask, let sink = begin(task) else { return }
        var bytes = bytes
        if ignoredLength > 0 {
            let count = Int(min(ignoredLength, Int64(bytes.count)))
            ignoredLength -= Int64(count)
            bytes = bytes.extracting(droppingFirst: count)
        }
        // A server may send more than was requested.
        if let end = place.part?.end, Int64(bytes.count) > end - receivedLength {
            bytes = bytes.extracting(first: Int(max(0, end - receivedLength)))
            cut(task)
        }
        receivedLength += Int64(bytes.count)
        if let limit = place.settings?.maximumLength, receivedLength > limit {
            refusal = .tooLong(limit: limit)
            return task.cancel()
        }
        sink.append(bytes, for: task)
        if let parts, parts.takeOver(at: receivedLength) { cut(task) }
        tellProgress(of: sink, to: task)
        if !isLooking { lookSoon(at: sink, for: task) }
    }

    /// Writes received bytes and reports written ones, also when no more arrive.
    private func lookSoon(at sink: FileSink, for task: SessionDownloadTask) {
        isLooking = true
        sink.soon { [weak task] in task?.performLater { [weak task] in task.map(self.look) } }
    }

    private func look(_ task: SessionDownloadTask) {
        isLooking = false
        guard let sink = openSink else { return }
        sink.handOver(for: task)
        // Read before: bytes written from now on are reported the next time.
        let isBehind = sink.isBehind
        tellProgress(of: sink, to: task)
        if isBehind { lookSoon(at: sink, for: task) }
    }

    /// Nil if it is over.
    private func begin(_ task: SessionDownloadTask) -> FileSink? {
        switch stage {
        case .writing(let sink), .resuming(let sink): return sink
        case .finishing, .over: return nil
        case .waiting(let plan):
            let sink = FileSink(plan) { task.performLater { self.fileFailed(task) } }
            stage = .writing(sink)
            beginParts(plan, sink, of: task)
            if let offset = plan.partialFile?.length, offset > 0 {
                (receivedLength, toldLength) = (offset, offset)
                delegate?.handle(.resumed(at: offset, expected: expectedLength ?? -1), of: task)
            }
            return sink
        }
    }

    /// Nil before the first byte of content, and after the last of all parts.
    private var openSink: FileSink? {
        switch stage {
        case .writing(let sink), .resuming(let sink): sink
        case .finishing(let sink): parts == nil ? nil : sink
        case .waiting, .over: nil
        }
    }

    /// The sink reports the reason when it is finished.
    private func fileFailed(_ task: SessionDownloadTask) {
        guard openSink != nil else { return }
        if !task.endExchange() { task.cancel() }
    }

    private func tellProgress(of sink: FileSink, to task: SessionDownloadTask) {
        let length = sink.writtenLength
        let others = parts?.length(beyond: length) ?? 0
        if let offset = untoldOffset, length >= offset {
            untoldOffset = nil
            tell(offset + others, to: task)
            delegate?.handle(.resumed(at: toldLength, expected: expectedLength ?? -1), of: task)
        }
        tell(length + others, to: task)
    }

    private func tell(_ length: Int64, to task: SessionDownloadTask) {
        let told = toldLength
        guard length > told else { return }
        toldLength = length
        delegate?.handle(.wrote(length - told, total: length, expected: expectedLength ?? -1), of: task)
    }
}

// In several parts
extension DownloadDriver {
    /// Nil for the part that was requested.
    private static func refusal(
        ofPart meaning: ResumeStateMachine.Meaning, _ response: HTTPURLResponse
    ) -> SessionError.DownloadFailure? {
        switch meaning {
        case .rest: nil
        case .wrong(let error): .wrongPart(error)
        case .whole, .other, .askAgain: .unsuccessful(response)
        }
    }

    /// The content begins: requests the other parts of it, if it can and is to have them.
    private func beginParts(_ plan: DownloadFile.Plan, _ sink: FileSink, of task: SessionDownloadTask) {
        guard let settings = place.settings?.parts, let data = plan.resumeData, let end = expectedLength,
            let head = content?.response.head, head.status == 206 || head.acceptsRanges, task.isAnsweredByNetwork
        else { return }
        let start = plan.partialFile?.length ?? 0
        let ranges = start < end ? settings.others(of: start..<end) : []
        if ranges.isEmpty { return }
        sink.share { [weak task] file in
            task?.performLater { [weak task] in
                if let task { self.begin(ranges, of: data, in: file, beside: task) }
            }
        }
    }

    private func begin(
        _ ranges: [Range<Int64>], of data: ResumeData, in file: SharedFile, beside task: SessionDownloadTask
    ) {
        // Other content may have begun meanwhile.
        guard case .writing = stage, content?.resumeData == data, refusal == nil, let delegate else { return }
        let parts = PartTasks(ranges, of: data, in: file, beside: task, delegate) { [weak self, weak task] in
            if let task { self?.partsChanged(task) }
        }
        self.parts = parts
        parts.begin()
    }

    /// What works for the task stops or continues with it.
    func updatePause(of task: SessionDownloadTask) {
        parts?.pause(task.isSuspended)
        if let wholeTask, task.isSuspended != isWholePaused { pause(wholeTask) }
    }

    private func pause(_ whole: SessionDownloadTask) {
        isWholePaused.toggle()
        if isWholePaused { whole.hold() } else { whole.release() }
    }

    private func endParts() { parts.take()?.close() }

    /// The rest of the content is not needed. Not within the call that delivers it.
    private func cut(_ task: SessionDownloadTask) {
        if isCut { return }
        isCut = true
        task.performLater { _ = task.endExchange() }
    }

    private func partsChanged(_ task: SessionDownloadTask) {
        // The first part becomes the whole: its response is for all of it.
        if parts?.failure != nil, !isCut { return endParts() }
        switch stage {
        case .writing(let sink):
            if let parts, parts.takeOver(at: receivedLength) { cut(task) }
            tellProgress(of: sink, to: task)
        case .resuming(let sink), .finishing(let sink): tellProgress(of: sink, to: task)
        case .waiting, .over: break
        }
        finishWithParts(task)
    }

    /// Finishes the file, if the first part is complete and the others are over.
    private func finishWithParts(_ task: SessionDownloadTask) {
        guard case .finishing(let sink) = stage, let parts else { return }
        if parts.haveChanged { return startOver(sink, task) }
        if let error = parts.failure { return finish(sink, task, task.error(error.reason, phase: error.phase)) }
        if parts.areComplete { finish(sink, task, nil) }
    }

    /// The resource has changed: what was received is discarded, and the whole is downloaded by another task.
    private func startOver(_ sink: FileSink, _ task: SessionDownloadTask) {
        endParts()
        let ending = FileSink.Ending(
            isComplete: false, expectedLength: nil, keepsPartialFile: false, keepsPartialFileOnFullDisk: false)
        sink.finish(ending, for: task) { _ in task.performLater { self.downloadWhole(task) } }
    }

    private func downloadWhole(_ task: SessionDownloadTask) {
        guard let delegate, case .target(let path, var settings) = place, !task.isCancelled else {
            return end(task, task.error(.cancelled, phase: .body), nil)
        }
        settings.parts = nil
        let listener = PartDelegate(of: task, delegate) { event, _ in self.relay(event, task) }
        guard let whole = task.sibling(DownloadDriver(.target(path, settings), nil, listener)) else {
            return end(task, task.error(.cancelled, phase: .body), nil)
        }
        wholeTask = whole
        updatePause(of: task)
        delegate.handle(.resumed(at: 0, expected: -1), of: task)
        whole.resume()
    }

    private func relay(_ event: PartDelegate.Event, _ task: SessionDownloadTask) {
        switch event {
        case .response(let response, let question):
            task.keep(response, from: 0)
            delegate?.handle(.response(response, question), of: task)
        case .download(let event): delegate?.handle(event, of: task)
        case .over(let error):
            wholeTask = nil
            let data = error?.resumeData.flatMap { try? ResumeData($0) }
            end(task, error.map { task.error($0.reason, phase: $0.phase) }, data)
        }
    }
}

extension ResponseHead {
    /// Whether the server offers ranges of bytes (RFC 9110 §14.3).
    fileprivate var acceptsRanges: Bool { values(for: "Accept-Ranges").contains { $0.lowercased() == "bytes" } }
}

// Retries
extension DownloadDriver {
    /// The request is for what the file lacks, or for the whole if a part cannot be had; nil if another attempt would end
    /// likewise.
    func requestOfRest(after reason: SessionError.Reason, of task: SessionTask) -> URLRequest? {
        guard refusal == nil, !isCut, Self.breaksOff(reason) else { return nil }
        switch stage {
        case .finishing, .over, .resuming: return nil
        // No content has come: the same is requested again.
        case .waiting: return task.hopRequest
        case .writing(let sink):
            sink.handOver(for: task)
            stage = .resuming(sink)
            return requestOfRest(task.hopRequest)
        }
    }

    private static func breaksOff(_ reason: SessionError.Reason) -> Bool {
        switch RetryPolicy.Failures(of: reason) {
        case .timedOut?, .outOfTime?, .connectionLost?: true
        default: false
        }
    }

    private func requestOfRest(_ request: URLRequest) -> URLRequest {
        var request = wholeRequest ?? request
        if wholeRequest == nil, partialFile != nil {
            request.headers["Range"] = nil
            request.headers["If-Range"] = nil
        }
        wholeRequest = request
        guard receivedLength > 0, let content, let data = content.resumeData, request.headers["Range"] == nil,
            !content.response.head.values(for: "Accept-Ranges").contains(where: { $0.lowercased() == "none" })
        else {
            resumption = ResumeStateMachine(wantsFileOnly: place.wantsFileOnly)
            resumption.begin(request)
            return request
        }
        resumption = ResumeStateMachine(
            ResumeStateMachine.PartialContent(
                validator: data.validator, length: receivedLength, totalLength: expectedLength, source: data.source,
                end: place.part?.end),
            wantsFileOnly: place.wantsFileOnly)
        resumption.prepare(&request)
        request.headers["Accept-Encoding"] = "identity"
        request.decodesContent = false
        return request
    }
}

// The end
extension DownloadDriver {
    /// No more bytes will arrive: finishes the file, and completes the task when that is done.
    func finalize(_ task: SessionTask, _ error: SessionError?) {
        guard let task = task as? SessionDownloadTask else { return task.complete(error) }
        switch stage {
        case .over, .finishing: break
        case .waiting where error != nil || refusal != nil:
            // The partial file has not been changed, and can be used again.
            end(task, error.map { reason($0, of: task) }, partialFile?.data)
        case .waiting, .writing, .resuming:
            guard let sink = begin(task) else { return }
            stage = .finishing(sink)
            if !isCut || task.isCancelled { return finish(sink, task, error) }
            if parts == nil { finish(sink, task, nil) } else { finishWithParts(task) }
        }
    }

    /// The task is cancelled while the file is being finished, or its other parts are received.
    func finalizeSooner(_ task: SessionDownloadTask, _ error: SessionError?) {
        guard case .finishing(let sink) = stage, error != nil else { return }
        sink.abandon()
        wholeTask?.cancel()
        if parts != nil { finish(sink, task, error) }
    }

    private func finish(_ sink: FileSink, _ task: SessionDownloadTask, _ error: SessionError?) {
        let keeps = keepsPartialFile(error)
        let ending = FileSink.Ending(
            isComplete: error == nil && refusal == nil, expectedLength: place.part == nil ? expectedLength : nil,
            keepsPartialFile: keeps, keepsPartialFileOnFullDisk: keeps && place.isTarget,
            lengthWithParts: parts?.contiguousLength(from: receivedLength))
        endParts()
        sink.finish(ending, for: task) { outcome in
            task.performLater { self.finished(task, sink, outcome, error) }
        }
    }

    private func finished(
        _ task: SessionDownloadTask, _ sink: FileSink, _ outcome: FileSink.Outcome, _ error: SessionError?
    ) {
        switch outcome {
        case .complete(let path):
            tellProgress(of: sink, to: task)
            if isCut, let response = content?.response { task.keep(response, from: sink.writtenLength) }
            delegate?.handle(.finished(URL(filePath: path, directoryHint: .notDirectory)), of: task)
            if !place.isTarget, !keepsFile { sink.later { OutputFile.remove(path) } }
            end(task, nil, nil)
        case .failed(let failure?, let data):
            end(task, task.error(.download(failure), phase: .body), data)
        case .failed(nil, let data):
            tellProgress(of: sink, to: task)
            end(task, reason(error ?? task.error(.cancelled, phase: .body), of: task), data)
        }
    }

    /// The reason of a refusal counts, rather than the refusal itself.
    private func reason(_ error: SessionError, of task: SessionTask) -> SessionError {
        guard let refusal, case .cancelled = error.reason else { return error }
        return task.error(.download(refusal), phase: error.phase)
    }

    /// Whether the received bytes are of use for resuming.
    private func keepsPartialFile(_ error: SessionError?) -> Bool {
        if case .tooLong = refusal { return false }
        if place.isTarget, place.keepsPartialFile { return true }
        if case .cancelled = error?.reason, refusal == nil {
            return resumeDataRequests.withLock { !$0.handlers.isEmpty }
        }
        return place.keepsPartialFile || partialFile != nil
    }

    private func end(_ task: SessionDownloadTask, _ error: SessionError?, _ data: ResumeData?) {
        stage = .over
        // The delegate may resume the download at once.
        if place.part == nil { partialFile?.file.unlock() }
        partialFile = nil
        let data = data?.data
        let handlers = resumeDataRequests.withLock { requests in
            requests.isOver = true
            defer { requests.handlers = [] }
            return requests.handlers
        }
        for handler in handlers { handler(data) }
        task.complete(error?.resumable(with: data))
        delegate = nil
    }
}
