// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// Asks the delegate for credentials when the server responds with 401 and a challenge (RFC 9110 §11.6.1).
struct Authentication: HopPolicy {
    /// The maximum number of credentials that a task sends: the 401 that follows is the answer.
    static let maximumChallengeCount: Int32 = 16

    let interests = HopInterests.unsuccessfulHeads

    func received(_ head: ResponseHead, _ history: inout TaskHistory) -> HopDecision {
        guard head.status == 401, history.challengeCount < Self.maximumChallengeCount, head["WWW-Authenticate"] != nil
        else { return .pass }
        return .ask(.challenge)
    }
}
