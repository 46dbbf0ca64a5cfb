// SPDX-License-Identifier: Apache-2.0

// On the reactor's thread: the delegate is asked about the trust of servers.
extension SessionTask: TrustRespondent {
    var answersServerTrust: Bool { delegate.answersServerTrustChallenges }

    func answer(_ challenge: ServerTrustChallenge, _ question: ServerTrustQuestion) {
        delegate.handle(.serverTrust(challenge, question), of: self)
    }
}
