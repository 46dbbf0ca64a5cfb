// SPDX-License-Identifier: Apache-2.0
public import Foundation
import TernEngine
import TernLock

/// Handles a request that sends a body, and collects the response body.
open class UploadTaskDelegate: DataTaskDelegate, @unchecked Sendable {
    /// How much of the content has been sent, in bytes; the total is -1 if it is unknown. Changes on the queue of the
    /// reports, and can cancel, suspend and resume the request.
    public var uploadProgress: Progress { sentReport.progress }

    /// The bytes reported so far.
    private let reported = Lock<Int64>(0)

    var sentReport: ProgressReport {
        report(\.sent) { (reported.withLock { $0 }, task?.countOfBytesExpectedToSend ?? 0) }
    }

    override func sent(_ count: Int64, total: Int64, expected: Int64, of task: SessionTask) {
        reported.withLock { $0 = total }
        let report = state.withLock { $0.rareState?.progress.sent }
        report?.update(total, of: expected)
    }
}
