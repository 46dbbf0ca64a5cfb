// SPDX-License-Identifier: Apache-2.0

/// An answer to any question.
enum GivenAnswer: Sendable {
    case redirect(RedirectAnswer)
    case disposition(ResponseDisposition)
    /// To the same question: the response is of no use, and this is asked.
    case instead(URLRequest)
    case challenge(ChallengeAnswer)
    case content(ContentAnswer)

    /// The source that comes with it, if one does that is there already.
    var source: (any BodySource)? {
        if case .content(.content(.once(let source, _))) = self { source } else { nil }
    }
}
