// SPDX-License-Identifier: Apache-2.0
import TernEngine
import TernLock

// Challenges without a closure.
extension TaskDelegate {
    /// Answers with the credential, if there is one, and if the request was meant for this server: a redirect to
    /// another origin does not send it (``Challenge/hasLeftOrigin``). A server may respond before the caller of the
    /// request has chained the credential: then the answer waits for it, or for the first handler, or for a short time.
    func answerByDefault(
        _ challenge: Challenge, _ answer: @escaping @Sendable (ChallengeDisposition, Credential?) -> Void
    ) {
        // The verdict of the policies is kept.
        if challenge.protectionSpace.authenticationMethod == .serverTrust {
            return answer(.performDefaultHandling, nil)
        }
        if challenge.previousFailureCount > 0 || challenge.hasLeftOrigin { return answer(.rejectProtectionSpace, nil) }
        let isPostponed = state.withLock { $0.postpone { [self] in answerNow(answer) } }
        guard isPostponed else { return answerNow(answer) }
        Self.later(context.grace.withLock { $0 }) { [self] in answerPostponed() }
    }

    private func answerNow(_ answer: (ChallengeDisposition, Credential?) -> Void) {
        guard let credential else { return answer(.performDefaultHandling, nil) }
        answer(.useCredential, credential)
    }

    /// The caller of the request has chained a handler, or the credential.
    func answerPostponed() { state.withLock { $0.takePostponed() }?() }
}

extension TaskDelegate.State {
    /// Keeps the answer to a challenge, if there may still be a credential for it.
    mutating func postpone(_ answer: @escaping @Sendable () -> Void) -> Bool {
        if gate.isAwaited || rareState?.credential != nil { return false }
        makeRareState().postponedAnswer = answer
        return true
    }

    /// Once.
    mutating func takePostponed() -> (@Sendable () -> Void)? { rareState?.postponedAnswer.take() }
}
