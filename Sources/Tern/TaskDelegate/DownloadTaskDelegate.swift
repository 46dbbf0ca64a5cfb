// SPDX-License-Identifier: Apache-2.0
public import Foundation
import Synchronization
public import TernEngine
import TernLock

/// Handles a request whose response becomes a file, and moves the file to its destination: on the callback queue,
/// because the destination is the user's closure and may be on another disk.
open class DownloadTaskDelegate: TaskDelegate, @unchecked Sendable {
    private let download: Lock<DownloadState>

    /// - Parameter destination: the destination of the file; nil leaves it in place.
    init(
        request: URLRequest?, error: (any Error)? = nil, context: RequestContext,
        destination: DownloadFileDestination?
    ) {
        download = Lock(DownloadState(destination: destination))
        super.init(request: request, error: error, context: context)
    }

    /// The data that resumes the download later, once this one has failed or been cancelled, if it can be resumed.
    public var resumeData: Data? { download.withLock { $0.resumeData } }

    /// ``resumeData``: no part of the body is collected.
    open override var data: Data? { resumeData }

    /// The location of the complete file.
    public var temporaryURL: URL? { download.withLock { $0.temporaryURL } }

    /// The destination of the file.
    public var destinationURL: URL? { download.withLock { $0.destinationURL } }

    /// The final location of the file: its destination, if there is one.
    public var fileURL: URL? { download.withLock { $0.file } }

    /// How much of the file has been written, in bytes; the total is -1 if it is unknown. Changes on the queue of the
    /// reports, and can cancel, suspend and resume the request.
    public var progress: Progress { receivedReport.progress }

    var receivedReport: ProgressReport {
        report(\.received) { download.withLock { ($0.written, $0.expected) } }
    }

    override func fill(_ completion: inout Completion) {
        completion.download = download.withLock { $0.outcome }
    }

    override func take(_ event: DownloadEvent, of download: SessionDownloadTask) {
        switch event {
        case .replaced: super.take(event, of: download)
        case .resumed(let offset, let total): count(offset, of: total)
        case .wrote(_, let count, let total): self.count(count, of: total)
        case .finished(let location): self.download.withLock { $0.arrive(at: location) }
        }
    }

    private func count(_ count: Int64, of total: Int64) {
        download.withLock { ($0.written, $0.expected) = (count, total) }
        let report = state.withLock { $0.rareState?.progress.received }
        report?.update(count, of: total)
    }

    override func holds(_ location: URL) -> Bool { temporaryURL == location }

    override func complete(with error: (any Error)?) {
        let end = End(error: error)
        if download.withLock({ $0.complete(with: end) }) {
            context.callbacks.post(self)
        } else {
            self.end(with: error)
        }
    }

    override func deliverBody() {
        place()
        guard let end = download.withLock({ $0.takeEnd() }) else { return }
        if !mayBeRetried { releaseClosures() }
        self.end(with: end.error)
    }

    private func place() {
        guard let location = download.withLock({ $0.takeArrived() }) else { return }
        if let closure = override(\.fileFinished), let task = task as? SessionDownloadTask {
            let file = closure(context.session, task, location)
            return download.withLock { $0.name(file) }
        }
        guard let destination = download.withLock({ $0.destination }), let response else { return }
        var (target, options) = destination(location, response)
        if download.withLock({ $0.name(target) }) { options.insert(.removePreviousFile) }
        do {
            try FileMove(from: location, to: target).perform(options)
            download.withLock { $0.placed = target }
        } catch {
            self.error = error
        }
    }

    /// - Parameter createsResumeData: whether a cancelled download keeps its partial file.
    func cancels(creatingResumeData createsResumeData: Bool) {
        download.withLock { $0.createsResumeData = createsResumeData }
    }

    override func stop(_ task: SessionTask) {
        guard download.withLock({ $0.createsResumeData }), let task = task as? SessionDownloadTask else {
            return task.cancel()
        }
        // The error of the task has the resume data.
        task.cancel { _ in }
    }

    override func reset() {
        super.reset()
        // No handler has received the file.
        let leftover = download.withLock { $0.reset() }
        if let leftover { try? FileManager.default.removeItem(at: leftover) }
    }

    override func releaseClosures() {
        super.releaseClosures()
        let destination = download.withLock { $0.releaseClosures() }
        withExtendedLifetime(destination) {}
    }
}

extension DownloadTaskDelegate {
    /// The state of a download, guarded by a lock of its own. Methods return user objects, to be released outside the
    /// lock.
    struct DownloadState {
        private(set) var destination: DownloadFileDestination?
        /// Stays true when the destination has been released.
        private var isMoved: Bool
        private(set) var temporaryURL: URL?
        private(set) var destinationURL: URL?
        private(set) var resumeData: Data?
        /// The file has not been moved yet.
        private var isWaiting = false
        /// The end, which waits for the move.
        private var end: End?
        /// The location of a retried attempt's file, which the next one replaces.
        var placed: URL?
        /// Whether the cancelling caller wants to resume later.
        var createsResumeData = true
        /// The numbers of bytes written, and expected.
        var written: Int64 = 0
        var expected: Int64 = 0

        init(destination: DownloadFileDestination?) {
            self.destination = destination
            isMoved = destination != nil
        }

        var file: URL? { isMoved ? destinationURL : temporaryURL }

        var outcome: DownloadOutcome {
            DownloadOutcome(
                temporaryURL: temporaryURL, destinationURL: destinationURL, file: file, resumeData: resumeData)
        }

        mutating func arrive(at location: URL) {
            temporaryURL = location
            isWaiting = true
        }

        /// Ends the task. Returns true if the callback queue must move the file first.
        mutating func complete(with end: End) -> Bool {
            resumeData = (end.error as? SessionError)?.resumeData
            if destination == nil { return false }
            self.end = end
            return true
        }

        mutating func takeEnd() -> End? { end.take() }

        /// The location of the file to move: returned once.
        mutating func takeArrived() -> URL? {
            defer { isWaiting = false }
            return isWaiting ? temporaryURL : nil
        }

        /// Sets the destination of the file. True if it may replace an earlier attempt's.
        @discardableResult
        mutating func name(_ target: URL) -> Bool {
            (isMoved, destinationURL) = (true, target)
            return placed == target
        }

        /// Another attempt begins. Returns the location of the last one's file.
        mutating func reset() -> URL? {
            let leftover = isMoved ? nil : temporaryURL
            isMoved = destination != nil
            (temporaryURL, destinationURL, resumeData) = (nil, nil, nil)
            (isWaiting, written, expected) = (false, 0, 0)
            return leftover
        }

        mutating func releaseClosures() -> DownloadFileDestination? { destination.take() }
    }
}

/// Returns the destination of a complete file, and what may be done to make room for it. Runs on the manager's callback
/// queue; called once, and only after a response.
@preconcurrency public typealias DownloadFileDestination =
    @Sendable (_ temporaryURL: URL, _ response: HTTPURLResponse) -> (destinationURL: URL, options: DownloadOptions)
