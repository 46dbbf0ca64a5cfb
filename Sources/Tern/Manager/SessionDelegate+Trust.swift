// SPDX-License-Identifier: Apache-2.0
public import TernEngine
import TernLock

// Server trust challenges: the manager's policies have evaluated a server, and a closure or a subclass may override the
// verdict.
extension SessionDelegate {
    /// Whether a closure or a subclass answers server trust challenges.
    public var answersServerTrustChallenges: Bool {
        isSubclass || closures.answersServerTrustChallenges
    }

    /// Asks the closure or the subclass on the callback queue; without either, the task's delegate is asked.
    public func session(_ session: Session, didReceive challenge: ServerTrustChallenge, _ question: ServerTrustQuestion)
    {
        guard isSubclass || closures.answersForSession,
            let callbacks = attachment.withLock({ $0.callbacks })
        else { return question.answer(.performDefaultHandling) }
        callbacks.post(
            CallbackBlock { [self] in
                urlSession(session, didReceive: Challenge(challenge)) { question.answer($0, $1) }
            })
    }

    /// Asks the closure or the subclass about the server of a task that belongs to no request.
    public func task(_ task: SessionTask, didReceive challenge: ServerTrustChallenge, _ question: ServerTrustQuestion) {
        if let adopter = registry[task]?.delegate.receiver {
            return adopter.task(task, didReceive: challenge, question)
        }
        if !relay(.serverTrust(challenge, question), of: task) { question.answer(.performDefaultHandling) }
    }
}

extension ServerTrustQuestion {
    /// Only a server trust credential accepts a server; default handling keeps the verdict of the policies.
    func answer(_ disposition: ChallengeDisposition, _ credential: Credential?) {
        switch disposition {
        case .useCredential: answer(credential?.isServerTrust == true ? .accept : .performDefaultHandling)
        case .performDefaultHandling: answer(.performDefaultHandling)
        case .cancelAuthenticationChallenge, .rejectProtectionSpace: answer(.refuse)
        }
    }
}
