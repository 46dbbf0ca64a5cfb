// SPDX-License-Identifier: Apache-2.0

/// An answer to any question.
enum GivenAnswer: Sendable {
    case redirect(RedirectAnswer)
    case disposition(ResponseDisposition)
    case challenge(ChallengeAnswer)
    case content(ContentAnswer)
}
