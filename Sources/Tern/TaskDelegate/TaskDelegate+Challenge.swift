// SPDX-License-Identifier: Apache-2.0
import TernEngine
import TernLock

// Challenges without a closure.
extension TaskDelegate {
    /// Answers with the credential, if there is one, and if the request was meant for this server: a redirect to
    /// another origin does not send it (``Challenge/hasLeftOrigin``).
    func answerByDefault(
        _ challenge: Challenge, _ answer: (ChallengeDisposition, Credential?) -> Void
    ) {
        // The verdict of the policies is kept.
        if challenge.protectionSpace.authenticationMethod == .serverTrust {
            return answer(.performDefaultHandling, nil)
        }
        if challenge.previousFailureCount > 0 || challenge.hasLeftOrigin { return answer(.rejectProtectionSpace, nil) }
        guard let credential else { return answer(.performDefaultHandling, nil) }
        answer(.useCredential, credential)
    }
}
