// SPDX-License-Identifier: Apache-2.0

/// An answer to any question.
enum GivenAnswer: Sendable {
    case redirect(RedirectAnswer)
    case disposition(ResponseDisposition)
    /// To the same question: the response is of no use, and this is asked.
    case instead(URLRequest)
    case challenge(ChallengeAnswer)
    case content(ContentAnswer)
}
