// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// The parts of a download beside its first one: a task for each, on the reactor of the download's own task, that writes
/// at its place in the same file.
///
/// Used by the thread that delivers the events of these tasks. Hence `@unchecked Sendable`.
final class PartTasks: @unchecked Sendable {
    private struct Part {
        let range: Range<Int64>
        /// The end of what is written.
        var end: Int64
        /// Whether the server has begun to send it.
        var isConfirmed = false
        var requestCount = 0
        var task: SessionDownloadTask?

        init(_ range: Range<Int64>) { (self.range, end) = (range, range.lowerBound) }

        var isComplete: Bool { end >= range.upperBound }
    }

    /// The maximum number of requests for one part, whose server answers each with less than was requested.
    private static let mostRequests = 64

    private let file: SharedFile
    private let data: ResumeData
    private let task: SessionDownloadTask
    private let delegate: any SessionDownloadDelegate
    private let report: @Sendable () -> Void
    private var parts: [Part]
    private var isPaused = false
    private var isClosed = false
    /// Why a part cannot be had.
    private(set) var failure: SessionError?

    /// - Parameters:
    ///   - data: what the parts are of.
    ///   - task: the download's own.
    ///   - delegate: is asked what the tasks ask, as if the download's own task did.
    ///   - report: called when the state of a part has changed.
    init(
        _ ranges: [Range<Int64>], of data: ResumeData, in file: SharedFile, beside task: SessionDownloadTask,
        _ delegate: any SessionDownloadDelegate, report: @escaping @Sendable () -> Void
    ) {
        (self.file, self.data, self.task, self.delegate, self.report) = (file, data, task, delegate, report)
        parts = ranges.map(Part.init)
    }

    /// Requests all of them.
    func begin() {
        pause(task.isSuspended)
        for index in parts.indices { request(index) }
    }

    /// Whether the first part may end at `offset`, because the server sends the part there. Parts that end before it are
    /// not needed any more.
    func takeOver(at offset: Int64) -> Bool {
        for index in parts.indices where parts[index].range.upperBound <= offset && !parts[index].isComplete {
            parts[index].end = parts[index].range.upperBound
            parts[index].task.take()?.cancel()
        }
        return parts.contains { $0.isConfirmed && $0.range.contains(offset) }
    }

    /// The number of bytes that are written beyond `offset`.
    func length(beyond offset: Int64) -> Int64 {
        parts.reduce(0) { $0 + max(0, $1.end - max($1.range.lowerBound, offset)) }
    }

    /// The end of what is written without a hole, if all before `offset` is.
    func contiguousLength(from offset: Int64) -> Int64 {
        parts.reduce(offset) { $1.range.lowerBound <= $0 ? max($0, $1.end) : $0 }
    }

    var areComplete: Bool { parts.allSatisfy(\.isComplete) }

    /// Whether the resource is not what it was when the first part began.
    var haveChanged: Bool {
        switch failure?.reason {
        case .download(.wrongPart(.total)): true
        case .download(.unsuccessful(let response)): [200, 206, 412, 416].contains(response.statusCode)
        default: false
        }
    }

    /// Stops or continues with the download's own task.
    func pause(_ isPaused: Bool) {
        if isPaused == self.isPaused { return }
        self.isPaused = isPaused
        for part in parts { if isPaused { part.task?.hold() } else { part.task?.release() } }
    }

    /// Ends the tasks: no more is written.
    func close() {
        isClosed = true
        file.close()
        for index in parts.indices { parts[index].task.take()?.cancel() }
    }

    private func request(_ index: Int) {
        let part = parts[index]
        let listener = PartDelegate(of: task, delegate) { self.handle($0, $1, index) }
        let driver = DownloadDriver(part.end..<part.range.upperBound, of: data, in: file, listener)
        guard let made = task.sibling(driver) else { return }
        parts[index].requestCount += 1
        parts[index].task = made
        if isPaused { made.hold() }
        made.resume()
    }

    private func handle(_ event: PartDelegate.Event, _ task: SessionTask, _ index: Int) {
        if case .response(_, let question) = event { question.answer(.allow) }
        guard !isClosed, parts[index].task === task else { return }
        switch event {
        case .response: parts[index].isConfirmed = true
        case .download(.wrote(_, let total, _)): parts[index].end = total
        case .download: return
        case .over(let error):
            parts[index].task = nil
            if let failure = error ?? advance(index) {
                self.failure = failure
                close()
            }
        }
        report()
    }

    /// The response to a request is complete: requests what it lacks. Returns why that is not to be had.
    private func advance(_ index: Int) -> SessionError? {
        let part = parts[index]
        if part.isComplete { return nil }
        guard part.requestCount < Self.mostRequests else {
            let (received, length) = (part.end - part.range.lowerBound, Int64(part.range.count))
            return task.error(.download(.incomplete(received: received, of: length)), phase: .body)
        }
        request(index)
        return nil
    }
}

/// The delegate of a task that does work of another download: what it asks, the delegate of the download is asked.
final class PartDelegate: SessionDownloadDelegate {
    /// What concerns the download.
    enum Event {
        case response(HTTPURLResponse, DelegateQuestion<ResponseAnswer>)
        case download(DownloadEvent)
        case over(SessionError?)
    }

    private let task: SessionDownloadTask
    private let delegate: any SessionDownloadDelegate
    private let receive: @Sendable (Event, SessionTask) -> Void

    init(
        of task: SessionDownloadTask, _ delegate: any SessionDownloadDelegate,
        _ receive: @escaping @Sendable (Event, SessionTask) -> Void
    ) { (self.task, self.delegate, self.receive) = (task, delegate, receive) }

    var answersServerTrustChallenges: Bool { delegate.answersServerTrustChallenges }

    func handle(_ event: TaskEvent, of part: SessionTask) {
        switch event {
        case .serverTrust, .willRetry, .redirect, .challenge, .newBody, .willCache: delegate.handle(event, of: task)
        case .response(let response, let question): receive(.response(response, question), part)
        case .completed(let error): receive(.over(error), part)
        default: break
        }
    }

    func handle(_ event: DownloadEvent, of part: SessionDownloadTask) { receive(.download(event), part) }

    func downloadTask(_ task: SessionDownloadTask, didFinishDownloadingTo location: URL) {}
}
