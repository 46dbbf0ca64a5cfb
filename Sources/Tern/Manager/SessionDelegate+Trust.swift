// SPDX-License-Identifier: Apache-2.0
public import TernEngine
import TernLock

// Server trust challenges: the manager's policies have evaluated a server, and the hub is asked whether their verdict
// stands.
extension SessionDelegate {
    /// Whether a closure or a subclass may have an answer.
    public var answersServerTrustChallenges: Bool {
        isSubclass || closures.withLock { $0.answersForSession || $0.answersForTasks }
    }

    /// Asks the closure, or the subclass, on the callback queue. Without either the question is the task's.
    public func session(_ session: Session, didReceive challenge: ServerTrustChallenge, _ question: ServerTrustQuestion)
    {
        guard isSubclass || closures.withLock({ $0.answersForSession }),
            let callbacks = attachment.withLock({ $0.callbacks })
        else { return question.answer(.performDefaultHandling) }
        callbacks.post(
            Errand { [self] in
                urlSession(session, didReceive: Challenge(challenge)) { question.answer($0, $1) }
            })
    }

    /// Asks the closure, or the subclass, about the server of a task that belongs to no request.
    public func task(_ task: SessionTask, didReceive challenge: ServerTrustChallenge, _ question: ServerTrustQuestion) {
        if let adopter = registry[task]?.delegate.receiver {
            return adopter.task(task, didReceive: challenge, question)
        }
        if !relay(.serverTrust(challenge, question), of: task) { question.answer(.performDefaultHandling) }
    }

    /// Whether methods may be overridden.
    private var isSubclass: Bool { type(of: self) != SessionDelegate.self }
}

extension ServerTrustQuestion {
    /// Only a credential that says so accepts a server, and only default handling leaves it to the policies.
    func answer(_ disposition: ChallengeDisposition, _ credential: Credential?) {
        switch disposition {
        case .useCredential: answer(credential?.isServerTrust == true ? .accept : .performDefaultHandling)
        case .performDefaultHandling: answer(.performDefaultHandling)
        case .cancelAuthenticationChallenge, .rejectProtectionSpace: answer(.refuse)
        }
    }
}
