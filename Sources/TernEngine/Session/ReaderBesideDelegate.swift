// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials

/// Stands before the delegate of a task whose content somebody else reads: a caller that awaits it, or a completion
/// handler. The reader gets the response and its content, the delegate everything else, and both the end.
final class ReaderBesideDelegate<Reader: SessionTaskDelegate>: SessionTaskDelegate {
    private let reader: Reader
    private let delegate: any SessionTaskDelegate

    init(_ reader: Reader, _ delegate: any SessionTaskDelegate) { (self.reader, self.delegate) = (reader, delegate) }

    var answersServerTrustChallenges: Bool { delegate.answersServerTrustChallenges }

    func handle(_ event: TaskEvent, of task: SessionTask) {
        switch event {
        case .response: reader.handle(event, of: task)
        case .responseOver:
            reader.handle(event, of: task)
            delegate.handle(event, of: task)
        // The caller may look at what the delegate has noted.
        case .completed:
            delegate.handle(event, of: task)
            reader.handle(event, of: task)
        default: delegate.handle(event, of: task)
        }
    }

    func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) { reader.task(task, didReceive: bytes) }
}

extension ReaderBesideDelegate: ContentReceiver where Reader: ContentReceiver {
    func room(for count: Int) -> UnsafeMutableRawBufferPointer? { unsafe reader.room(for: count) }
}

extension ReaderBesideDelegate: UpgradeDelegate where Reader: UpgradeDelegate {
    func task(_ task: SessionTask, didBecome stream: StreamTask) { reader.task(task, didBecome: stream) }
}

// The file is the reader's.
extension ReaderBesideDelegate: SessionDownloadDelegate where Reader: SessionDownloadDelegate {
    func handle(_ event: DownloadEvent, of download: SessionDownloadTask) {
        if case .finished = event { return reader.handle(event, of: download) }
        reader.handle(event, of: download)
        (delegate as? any SessionDownloadDelegate)?.handle(event, of: download)
    }

    func downloadTask(_ task: SessionDownloadTask, didFinishDownloadingTo location: URL) {
        reader.downloadTask(task, didFinishDownloadingTo: location)
    }
}
