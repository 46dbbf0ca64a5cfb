// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1

/// How far the transfer of a task has come.
public struct TransferProgress: Sendable, Hashable {
    /// The number of bytes of the request's content that were passed to the kernel; starts at 0 again if the request is
    /// sent again.
    public internal(set) var countOfBytesSent: Int64 = 0
    /// The number of bytes of the request's content; -1 if it is unknown.
    public internal(set) var countOfBytesExpectedToSend: Int64 = 0
    /// The number of bytes of the response's body that have arrived, decoded if the body is.
    public internal(set) var countOfBytesReceived: Int64 = 0
    /// The announced number of bytes of the response's body; -1 if it was not announced, and before it is.
    public internal(set) var countOfBytesExpectedToReceive: Int64 = -1

    /// How much of the request's content was sent, 0 to 1; nil if its length is unknown, and without content.
    public var fractionSent: Double? { Self.fraction(countOfBytesSent, countOfBytesExpectedToSend) }
    /// How much of the response's body has arrived, 0 to 1; nil if its length was not announced.
    public var fractionReceived: Double? { Self.fraction(countOfBytesReceived, countOfBytesExpectedToReceive) }

    private static func fraction(_ count: Int64, _ expected: Int64) -> Double? {
        expected > 0 ? min(1, Double(count) / Double(expected)) : nil
    }
}

/// Reports the progress of a task whose other delegate collects or writes the body. Called on the reactor's thread.
final class ProgressReporter: SessionDownloadDelegate, @unchecked Sendable {
    private let next: any SessionTaskDelegate
    private let download: (any SessionDownloadDelegate)?
    private let report: @Sendable (TransferProgress) -> Void
    // Changed on the reactor's thread alone.
    private var progress = TransferProgress()

    init(before next: any SessionTaskDelegate, _ report: @escaping @Sendable (TransferProgress) -> Void) {
        (self.next, self.report) = (next, report)
        download = next as? any SessionDownloadDelegate
    }

    var answersServerTrustChallenges: Bool { next.answersServerTrustChallenges }

    func handle(_ event: TaskEvent, of task: SessionTask) {
        next.handle(event, of: task)
        switch event {
        case .sentBodyData(_, let total, let expected):
            (progress.countOfBytesSent, progress.countOfBytesExpectedToSend) = (total, expected)
            report(progress)
        case .response(let response, _):
            progress.countOfBytesReceived = 0
            progress.countOfBytesExpectedToReceive =
                response.bodyLength(answering: task.originalRequest).map(Int64.init) ?? -1
        default: break
        }
    }

    func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) {
        next.task(task, didReceive: bytes)
        progress.countOfBytesReceived &+= Int64(bytes.count)
        report(progress)
    }

    func handle(_ event: DownloadEvent, of task: SessionDownloadTask) {
        download?.handle(event, of: task)
        guard case .wrote(_, let total, let expected) = event else { return }
        (progress.countOfBytesReceived, progress.countOfBytesExpectedToReceive) = (total, expected)
        report(progress)
    }

    func downloadTask(_ task: SessionDownloadTask, didFinishDownloadingTo location: URL) {
        download?.downloadTask(task, didFinishDownloadingTo: location)
    }
}
