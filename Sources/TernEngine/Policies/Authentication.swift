// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// Answers a 401 and its challenge (RFC 9110 §11.6.1) with the credential of the request or its URL. A challenge that
/// does not refuse the last credential is answered with that credential again. In all other cases the task asks its
/// delegate.
struct Authentication: HopPolicy {
    /// The maximum number of credentials that a task sends: the 401 that follows is the answer.
    static let maximumChallengeCount: Int32 = 16
    /// The maximum number of challenges that are answered without asking between two redirects: a server may call every
    /// nonce stale.
    static let maximumAnswerCount: Int32 = 4

    let interests = HopInterests.unsuccessfulHeads

    func decide(on head: ResponseHead, _ history: inout TaskHistory) -> HopDecision {
        guard head.status == 401, history.challengeCount < Self.maximumChallengeCount, head["WWW-Authenticate"] != nil
        else { return .pass }
        if history.answerCount < Self.maximumAnswerCount, let request = answer(to: head, &history) {
            history.answerCount += 1
            return .next(request)
        }
        return .ask(.challenge)
    }

    /// The request with an answer that needs no question; nil if there is none.
    private func answer(to head: ResponseHead, _ history: inout TaskHistory) -> URLRequest? {
        let (hop, login) = (history.hop, history.login)
        let isFirst = login == nil
        guard
            let credential = login?.credential
                ?? (hop.mayCarryCredentials ? hop.request.credential ?? hop.request.urlCredential : nil),
            let next = PasswordLogin(
                credential, for: hop.request, answering: head.bytes(for: "WWW-Authenticate")),
            login?.isFollowed(by: next, to: hop.request) ?? (hop.request.headers["Authorization"] == nil),
            let authorization = next.authorization(for: history.subject)
        else { return nil }
        if isFirst { history.challengeCount += 1 }
        history.login = next
        var request = history.request
        request.headers.replace(with: authorization)
        return request
    }
}
