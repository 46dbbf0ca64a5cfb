// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine

extension SessionDelegate {
    /// The user's closures, as they were set.
    struct Closures {
        var sessionInvalid: (@Sendable (Session, (any Error)?) -> Void)?
        var sessionChallenge: (@Sendable (Session, Challenge) -> (ChallengeDisposition, Credential?))? {
            didSet { trustChanges &+= 1 }
        }
        var sessionChallengeWithCompletion: (@Sendable (Session, Challenge, @escaping ChallengeCompletion) -> Void)? {
            didSet { trustChanges &+= 1 }
        }
        var backgroundEvents: (@Sendable (Session) -> Void)?
        var redirection: (@Sendable (Session, SessionTask, HTTPURLResponse, URLRequest) -> URLRequest?)?
        var redirectionWithCompletion:
            (@Sendable (Session, SessionTask, HTTPURLResponse, URLRequest, @escaping RedirectCompletion) -> Void)?
        var challenge: (@Sendable (Session, SessionTask, Challenge) -> (ChallengeDisposition, Credential?))? {
            didSet { trustChanges &+= 1 }
        }
        var challengeWithCompletion:
            (@Sendable (Session, SessionTask, Challenge, @escaping ChallengeCompletion) -> Void)?
        {
            didSet { trustChanges &+= 1 }
        }
        var bodyStream: (@Sendable (Session, SessionTask) -> InputStream?)?
        var bodyStreamWithCompletion: (@Sendable (Session, SessionTask, @escaping StreamCompletion) -> Void)?
        var dataSent: (@Sendable (Session, SessionTask, Int64, Int64, Int64) -> Void)?
        var completion: (@Sendable (Session, SessionTask, (any Error)?) -> Void)?
        var response: (@Sendable (Session, SessionDataTask, HTTPURLResponse) -> ResponseDisposition)?
        var responseWithCompletion:
            (@Sendable (Session, SessionDataTask, HTTPURLResponse, @escaping ResponseCompletion) -> Void)?
        var becameDownload: (@Sendable (Session, SessionDataTask, SessionDownloadTask) -> Void)?
        var dataReceived: (@Sendable (Session, SessionDataTask, Data) -> Void)?
        var fileFinished: (@Sendable (Session, SessionDownloadTask, URL) -> Void)?
        var fileWritten: (@Sendable (Session, SessionDownloadTask, Int64, Int64, Int64) -> Void)?
        var fileResumed: (@Sendable (Session, SessionDownloadTask, Int64, Int64) -> Void)?
        var stream = StreamClosures()

        /// How often a closure was set that answers server trust challenges.
        private(set) var trustChanges = 0

        /// Whether a closure answers server trust challenges for the session.
        var answersForSession: Bool { sessionChallenge != nil || sessionChallengeWithCompletion != nil }

        /// Whether a closure answers those that come to a task.
        var answersForTasks: Bool { challenge != nil || challengeWithCompletion != nil }
    }

    /// How a challenge is answered.
    public typealias ChallengeCompletion = @Sendable (ChallengeDisposition, Credential?) -> Void
    /// How a redirect is answered: nil delivers it.
    public typealias RedirectCompletion = @Sendable (URLRequest?) -> Void
    /// How a new stream is brought.
    public typealias StreamCompletion = @Sendable (InputStream?) -> Void
    /// How a response is answered.
    public typealias ResponseCompletion = @Sendable (ResponseDisposition) -> Void
}
