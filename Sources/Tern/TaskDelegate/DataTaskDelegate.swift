// SPDX-License-Identifier: Apache-2.0
public import Foundation
import Synchronization
package import TernEngine
import TernLock

/// Collects the body of one request, or streams it.
open class DataTaskDelegate: TaskDelegate, @unchecked Sendable {
    let body: Lock<Body>

    override init(request: URLRequest?, error: (any Error)? = nil, context: RequestContext) {
        body = Lock(Body(limit: context.bodyLimit))
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
        let report = report(\.received) { (countOfBytesReceived, response?.expectedContentLength ?? 0) }
        body.withLock { $0.report = report }
        return report
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
        case .wrote(_, let total, let expected): body.withLock { $0.report }?.update(total, of: expected)
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
