// SPDX-License-Identifier: Apache-2.0

/// An answer to any question of a task.
enum DelegateResponse: Sendable {
    case redirect(RedirectAnswer)
    case disposition(ResponseAnswer)
    /// To the same question: the response is discarded, and this request is sent.
    case instead(URLRequest)
    case challenge(ChallengeAnswer)
    case content(BodyAnswer)

    /// The source in the answer, if it exists already.
    var source: (any BodySource)? {
        if case .content(.content(.once(let source, _))) = self { source } else { nil }
    }
}
