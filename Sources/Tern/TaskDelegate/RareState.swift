// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

extension TaskDelegate {
    /// What most requests never need: made when it is. Guarded by the delegate's lock.
    final class RareState {
        var credential: Credential?
        /// To a challenge that came before it.
        var postponedAnswer: (@Sendable () -> Void)?
        var queue: OperationQueue?
        var overrides = Overrides()
        var relay = Relay()
        var progress = Progresses()
        /// Of a request for data that became a download: where the file was put, if anybody wanted it.
        var file: URL?
        /// The request is over.
        var hasReleasedClosures = false
    }

    struct Progresses {
        /// Of what is received.
        var received: ProgressReport?
        /// Of what is sent.
        var sent: ProgressReport?
    }

    /// The user's own answers for one task.
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
