// SPDX-License-Identifier: Apache-2.0
import TernIO

/// A question of a task to its delegate. Answer it once: at once, within the call, or later, from any thread.
///
/// Until then the task waits, and its timeouts continue. Further answers, and one after the end of the task, have no
/// effect, and content in them is finished; a question without an answer ends with the task.
public struct DelegateQuestion<Answer: Sendable>: Sendable {
    private let asker: any DelegateAsker
    private let number: UInt64
    private let loop: ReactorLoop
    private let form: @Sendable (Answer) -> DelegateResponse

    init(
        of asker: any DelegateAsker, _ number: UInt64, on loop: ReactorLoop,
        _ form: @escaping @Sendable (Answer) -> DelegateResponse
    ) {
        self.asker = asker
        self.number = number
        self.loop = loop
        self.form = form
    }

    /// Gives the answer.
    public func answer(_ answer: Answer) { self.answer(given: form(answer)) }

    /// The same for an observer: nobody waits for its answer.
    var closed: DelegateQuestion { DelegateQuestion(of: asker, .max, on: loop, form) }

    private func answer(given: DelegateResponse) {
        if loop.performsNow { return asker.answered(number, given) }
        if !loop.execute({ [asker, number] in asker.answered(number, given) }) { given.source?.finish() }
    }
}

/// Asks its delegate questions, which are numbered. On its loop's thread.
protocol DelegateAsker: AnyObject, Sendable {
    /// The question of this number has an answer. Called once per answer.
    func answered(_ number: UInt64, _ answer: DelegateResponse)
}

extension DelegateQuestion where Answer == ResponseAnswer {
    /// Sends another request instead: the response is not the answer, and no delegate received it.
    func answer(instead request: URLRequest) { answer(given: .instead(request)) }
}

extension DelegateQuestion where Answer == ChallengeAnswer {
    /// Cancels the task, unless the question was answered before.
    package func cancelTask() { answer(given: .cancel) }
}

/// A server requests credentials: a 401 response with `WWW-Authenticate` (RFC 9110 §11.6.1).
public struct AuthenticationChallenge: Sendable {
    /// The 401 response.
    public let response: HTTPURLResponse
    /// The origin that requests credentials.
    public let origin: HTTPOrigin
    /// The values of its `WWW-Authenticate` fields, such as `Basic realm="…"`, as text: ``response`` has their
    /// bytes.
    public let challenges: [String]
    /// The space of the challenge: of several the one that ``proposedCredential`` is for, else the one that a password
    /// answers most safely, else the first.
    public let protectionSpace: ProtectionSpace
    /// The credential that the session's storage has for the space, and that was not refused in this task: the default
    /// one, else the one that was stored last; nil without one, or without a storage.
    public let proposedCredential: Credential?
    /// The number of times that credentials were given before to ``origin`` in this task. One that the task sent before
    /// it was requested does not count.
    public let previousFailureCount: Int
    /// Whether a redirect has led the task away from the origin of its first request, even if another has led it back:
    /// a server, not the caller, has chosen which server asks. Scheme, host and port make an origin, so `https` to
    /// `http` on one host leaves it.
    ///
    /// No secret of the request or the session is sent then. An answer is sent: give one only if it is meant for
    /// ``origin``.
    public let hasLeftOrigin: Bool
}

/// The answer to a redirect.
public enum RedirectAnswer: Sendable {
    /// Send this request: the proposed one, or another.
    case follow(URLRequest)
    /// Do not follow: the redirect is the answer, and its body is delivered.
    case deliver
}

/// The answer to a challenge for credentials (RFC 9110 §11).
public enum ChallengeAnswer: Sendable {
    /// Send the request again with an `Authorization` field of this value, such as `Bearer …`. It is sent to
    /// ``AuthenticationChallenge/origin`` only, even if that is not the origin of the request: see
    /// ``AuthenticationChallenge/hasLeftOrigin``.
    case authorization(String)
    /// Send the request again with this name and password, in the strongest scheme that the server offers and Tern
    /// supports: Digest or Basic. Challenges that do not refuse the credential, such as for a stale nonce, are answered
    /// without asking again. The response is delivered if no challenge can be answered with a password. If the server
    /// accepts it, the session's storage keeps it for so long: with `none`, the default, not at all.
    case credential(PasswordCredential, persistence: Credential.Persistence = .none)
    /// Send the request again with ``AuthenticationChallenge/proposedCredential``, if there is one and
    /// ``AuthenticationChallenge/previousFailureCount`` is 0; otherwise deliver the response.
    case performDefaultHandling
    /// Deliver the response like any other.
    case deliver
}

/// The answer to a request for new content, when content that can be read once must be sent again.
public enum BodyAnswer: Sendable {
    /// This.
    case content(RequestBody)
    /// There is none: the task fails.
    case unavailable
}

/// The answer to a retry, with the names of Alamofire's `RetryResult`.
public enum RetryAnswer: Sendable, Hashable {
    /// Send the request again after the proposed delay.
    case retry
    /// Send the request again after this delay, whatever the policy's limits are.
    case retryWithDelay(Duration)
    /// Do not: the response is the answer, or the failure ends the task.
    case doNotRetry
}

/// The answer to a response's head.
public enum ResponseAnswer: Int, Sendable {
    /// Cancel the task.
    case cancel
    /// Deliver its body.
    case allow
    /// Let a download task take over the exchange: the body becomes a temporary file. For delegates of data and upload
    /// tasks that are `SessionDownloadDelegate`s; for others the body is delivered.
    case becomeDownload
}

/// An answer to any question of a task.
enum DelegateResponse: Sendable {
    case redirect(RedirectAnswer)
    case disposition(ResponseAnswer)
    /// To the same question: the response is discarded, and this request is sent.
    case instead(URLRequest)
    case challenge(ChallengeAnswer)
    /// To the same question.
    case cancel
    case content(BodyAnswer)
    case retry(RetryAnswer)

    /// The source in the answer, if it exists already.
    var source: (any BodySource)? {
        if case .content(.content(.once(let source, _))) = self { source } else { nil }
    }
}

extension DelegateResponse {
    /// What observers are told of it.
    var summary: TaskAnswer {
        switch self {
        case .redirect(.follow): .follow
        case .redirect(.deliver), .challenge(.deliver): .deliver
        case .challenge(.performDefaultHandling): .performDefaultHandling
        case .challenge(.authorization), .challenge(.credential): .authenticate
        case .retry(.retry), .retry(.retryWithDelay): .retry
        case .retry(.doNotRetry): .doNotRetry
        case .content(.content): .content
        case .content(.unavailable): .noContent
        case .disposition(.allow): .allow
        case .disposition(.becomeDownload): .becomeDownload
        case .instead: .instead
        case .cancel, .disposition(.cancel): .cancel
        }
    }
}
