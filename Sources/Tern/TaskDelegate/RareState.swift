// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

extension TaskDelegate {
    /// State that most requests never need, made on first use. Guarded by the delegate's lock.
    final class RareState {
        var credential: Credential?
        var queue: OperationQueue?
        var overrides = Overrides()
        var waitingEvents = WaitingEvents()
        var progress = Progresses()
        /// The location of the file of a data request that became a download.
        var file: URL?
        /// The request is over.
        var hasReleasedClosures = false
    }

    struct Progresses {
        /// The progress of the response body.
        var received: ProgressReport?
        /// The progress of the request body.
        var sent: ProgressReport?
    }

    /// The user's closures for one task.
    struct Overrides {
        var redirection: (@Sendable (Session, SessionTask, HTTPURLResponse, URLRequest) -> URLRequest?)?
        var challenge: (@Sendable (Session, SessionTask, Challenge) -> (ChallengeDisposition, Credential?))?
        var bodyStream: (@Sendable (Session, SessionTask) -> InputStream?)?
        var completion: (@Sendable (Session, SessionTask, (any Error)?) -> Void)?
        var dataReceived: (@Sendable (Session, SessionDataTask, Data) -> Void)?
        var fileFinished: (@Sendable (Session, SessionDownloadTask, URL) -> URL)?
        var fileWritten: (@Sendable (Session, SessionDownloadTask, Int64, Int64, Int64) -> Void)?
        var fileResumed: (@Sendable (Session, SessionDownloadTask, Int64, Int64) -> Void)?
        var dataSent: (@Sendable (Session, SessionTask, Int64, Int64, Int64) -> Void)?
    }
}
