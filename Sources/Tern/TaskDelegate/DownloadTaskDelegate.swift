// SPDX-License-Identifier: Apache-2.0
public import Foundation
import Synchronization
import TernEngine
import TernLock

/// Handles a request whose response becomes a file, and moves the file to its destination: on the callback queue,
/// because the destination is the user's closure and may be on another disk.
open class DownloadTaskDelegate: TaskDelegate, @unchecked Sendable {
    let download: Lock<DownloadState>

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

    /// The same: no part of the body is collected.
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
