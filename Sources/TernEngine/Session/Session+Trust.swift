// SPDX-License-Identifier: Apache-2.0

// The delegate's trust challenges.
extension Session: TrustRespondent {
    var answersServerTrust: Bool { delegate?.answersServerTrustChallenges ?? false }

    func answer(_ challenge: ServerTrustChallenge, _ question: ServerTrustQuestion) {
        guard let delegate else { return question.answer(.performDefaultHandling) }
        delegate.session(self, didReceive: challenge, question)
    }
}
