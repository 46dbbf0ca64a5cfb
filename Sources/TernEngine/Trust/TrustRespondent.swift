// SPDX-License-Identifier: Apache-2.0

/// Answers server trust challenges: a session, or a task, on behalf of its delegate. On a reactor's thread.
protocol TrustRespondent: AnyObject {
    /// Whether its delegate wants to be asked.
    var answersServerTrust: Bool { get }

    func answer(_ challenge: ServerTrustChallenge, _ question: ServerTrustQuestion)
}
