// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import TernEngine
import TernLock

/// The closures that the user has set on a hub.
final class ClosureTable: Sendable {
    struct Closures {
        var sessionInvalid: (@Sendable (Session, (any Error)?) -> Void)?
        var sessionChallenge: (@Sendable (Session, Challenge) -> (ChallengeDisposition, Credential?))? {
            didSet { trustChanges &+= 1 }
        }
        var sessionChallengeWithCompletion:
            (@Sendable (Session, Challenge, @escaping @Sendable (ChallengeDisposition, Credential?) -> Void) -> Void)?
        {
            didSet { trustChanges &+= 1 }
        }
        var waiting: (@Sendable (Session, SessionTask) -> Void)?
        var retry: (@Sendable (Session, SessionTask, RetryMetrics) -> RetryAnswer)?
        var backgroundEvents: (@Sendable (Session) -> Void)?
        var redirection: (@Sendable (Session, SessionTask, HTTPURLResponse, URLRequest) -> URLRequest?)?
        var redirectionWithCompletion:
            (
                @Sendable (Session, SessionTask, HTTPURLResponse, URLRequest, @escaping @Sendable (URLRequest?) -> Void)
                    -> Void
            )?
        var challenge: (@Sendable (Session, SessionTask, Challenge) -> (ChallengeDisposition, Credential?))? {
            didSet { trustChanges &+= 1 }
        }
        var challengeWithCompletion:
            (
                @Sendable (
                    Session, SessionTask, Challenge, @escaping @Sendable (ChallengeDisposition, Credential?) -> Void
                ) -> Void
            )?
        {
            didSet { trustChanges &+= 1 }
        }
        var bodyStream: (@Sendable (Session, SessionTask) -> InputStream?)?
        var bodyStreamWithCompletion:
            (@Sendable (Session, SessionTask, @escaping @Sendable (InputStream?) -> Void) -> Void)?
        var dataSent: (@Sendable (Session, SessionTask, Int64, Int64, Int64) -> Void)?
        var completion: (@Sendable (Session, SessionTask, (any Error)?) -> Void)?
        var response: (@Sendable (Session, SessionDataTask, HTTPURLResponse) -> ResponseAnswer)?
        var responseWithCompletion:
            (
                @Sendable (Session, SessionDataTask, HTTPURLResponse, @escaping @Sendable (ResponseAnswer) -> Void)
                    -> Void
            )?
        var willCache: (@Sendable (Session, SessionDataTask, CachedURLResponse) -> CachedURLResponse?)?
        var willCacheWithCompletion:
            (
                @Sendable (
                    Session, SessionDataTask, CachedURLResponse, @escaping @Sendable (CachedURLResponse?) -> Void
                ) -> Void
            )?
        var becameDownload: (@Sendable (Session, SessionDataTask, SessionDownloadTask) -> Void)?
        var dataReceived: (@Sendable (Session, SessionDataTask, Data) -> Void)?
        var fileFinished: (@Sendable (Session, SessionDownloadTask, URL) -> Void)?
        var fileWritten: (@Sendable (Session, SessionDownloadTask, Int64, Int64, Int64) -> Void)?
        var fileResumed: (@Sendable (Session, SessionDownloadTask, Int64, Int64) -> Void)?
        var streamReadClosed: (@Sendable (Session, StreamTask) -> Void)?
        var streamWriteClosed: (@Sendable (Session, StreamTask) -> Void)?
        var streamBetterRoute: (@Sendable (Session, StreamTask) -> Void)?
        var streamStreams: (@Sendable (Session, StreamTask, InputStream, OutputStream) -> Void)?

        /// How often a closure that answers server trust challenges was set.
        fileprivate(set) var trustChanges = 0
    }

    private let closures = Lock(Closures())
    private let count = Atomic<Int>(0)

    var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

    /// Whether a closure answers server trust challenges for the session.
    var answersForSession: Bool {
        closures.withLock { $0.sessionChallenge != nil || $0.sessionChallengeWithCompletion != nil }
    }

    /// Whether a closure answers server trust challenges for the session or for a task.
    var answersServerTrustChallenges: Bool {
        answersForSession || closures.withLock { $0.challenge != nil || $0.challengeWithCompletion != nil }
    }

    subscript<Closure: Sendable>(_ path: KeyPath<Closures, Closure?>) -> Closure? {
        closures.withLock { $0[keyPath: path] }
    }

    struct Change {
        /// A closure was set where there was none.
        let isNew: Bool
        /// The closure answers server trust challenges.
        let changesTrust: Bool
    }

    /// Sets a closure; returns nil if there was none before either.
    func set<Closure: Sendable>(_ path: WritableKeyPath<Closures, Closure?>, _ closure: Closure?) -> Change? {
        let (old, changesTrust) = closures.withLock { closures in
            let (old, trustChanges) = (closures[keyPath: path], closures.trustChanges)
            closures[keyPath: path] = closure
            return (old, closures.trustChanges != trustChanges)
        }
        // The old closure belongs to the user, and is released outside the lock.
        return withExtendedLifetime(old) {
            if old == nil, closure == nil { return nil }
            let difference = (closure == nil ? 0 : 1) - (old == nil ? 0 : 1)
            count.add(difference, ordering: .relaxed)
            return Change(isNew: difference > 0, changesTrust: changesTrust)
        }
    }
}
