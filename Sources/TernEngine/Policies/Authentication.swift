// SPDX-License-Identifier: Apache-2.0
import TernHTTP1

/// Answers a 401 and its challenge (RFC 9110 §11.6.1) with the credential of the request, its URL or a netrc file. A
/// challenge that does not refuse the last credential is answered with that credential again. In all other cases the task
/// asks its delegate.
///
/// Where only Digest may authenticate a hop, it may be sent without its content first, as curl does: the server answers
/// the first request with its challenge, so the content would be sent for nothing, and content that can be read once
/// would be lost.
struct Authentication: HopPolicy {
    /// The maximum number of credentials that a task sends: the 401 that follows is the answer.
    static let maximumChallengeCount = 16
    /// The maximum number of challenges that are answered without asking between two redirects: a server may call every
    /// nonce stale.
    static let maximumAnswerCount = 4

    private struct Memory: PolicyMemory {
        /// The number of credentials that were sent.
        var challengeCount = 0
        /// Challenges that were answered without asking.
        var answers = CountPerRedirect()
        /// The password that the hop, or one before, was authenticated with.
        var login: PasswordLogin?
        /// The number of the hop whose server requests no password.
        var openHop: Int?
    }

    let interests: HopInterests
    /// The session's `Authorization` field: a credential of the request takes its place.
    private let defaultAuthorization: String?
    private let netrc: Netrc?

    init(of configuration: SessionConfiguration) {
        interests = configuration.probesForDigest ? [.preparation, .allHeads] : .unsuccessfulHeads
        defaultAuthorization = configuration.httpAdditionalHeaders["Authorization"]
        netrc = configuration.netrc
    }

    func prepare(_ hop: Hop, _ history: inout TaskHistory) -> HopPreparation {
        guard let body = hop.request.body, body.announcedLength != 0, !isAuthorized(hop.request),
            (netrc?.credential(for: hop) ?? (hop.mayCarryCredentials ? hop.request.credential : nil))?.schemes
                == .digest
        else { return .ready }
        let memory = history[Memory.self]
        guard memory.login == nil, memory.openHop != hop.number else { return .ready }
        var request = hop.request
        request.body = nil
        for name in ["Content-Length", "Transfer-Encoding", "Trailer", "Expect"] {
            request.headers.removeAll(named: name)
        }
        return .change(request)
    }

    func decide(on head: ResponseHead, _ history: inout TaskHistory) -> HopDecision {
        if head.status < 300 { return sendContent(&history) }
        guard head.status == 401, head.contains("WWW-Authenticate") else { return .pass }
        var memory = history[Memory.self]
        guard memory.challengeCount < Self.maximumChallengeCount else { return .pass }
        let challenges = head.bytes(for: "WWW-Authenticate")
        if memory.answers.value(history) < Self.maximumAnswerCount,
            let request = answer(to: challenges, &memory, history)
        {
            memory.answers.increment(history)
            history[Memory.self] = memory
            return .next(request)
        }
        return .ask(
            .challenge(
                ChallengeProposal(previousFailureCount: memory.challengeCount) { answer, history in
                    Self.request(with: answer, to: challenges, &history)
                }))
    }

    /// The content goes to a server that requests no password.
    private func sendContent(_ history: inout TaskHistory) -> HopDecision {
        guard history.hop.request.body == nil, history.request.body != nil else { return .pass }
        history[Memory.self].openHop = history.hop.number
        return .resend(history.request)
    }

    /// The request with an answer that needs no question; nil if there is none.
    private func answer(to challenges: [[UInt8]], _ memory: inout Memory, _ history: TaskHistory) -> URLRequest? {
        let hop = history.hop
        let login = memory.login.flatMap { $0.belongs(to: hop.request) ? $0 : nil }
        let isAuthorized = isAuthorized(hop.request)
        guard
            let credential = login?.credential ?? netrc?.credential(for: hop)
                ?? (hop.mayCarryCredentials ? hop.request.credential ?? hop.request.urlCredential : nil),
            let next = PasswordLogin(credential, for: hop.request, answering: challenges),
            login?.isFollowed(by: next, wasSent: isAuthorized) ?? !isAuthorized,
            let authorization = next.authorization(for: history.subject)
        else { return nil }
        if login == nil { memory.challengeCount += 1 }
        memory.login = next
        return history.request.authorized(by: authorization)
    }

    /// The request with the delegate's answer; nil if there is none.
    private static func request(
        with answer: ChallengeAnswer, to challenges: [[UInt8]], _ history: inout TaskHistory
    ) -> URLRequest? {
        let authorization: HeaderField
        switch answer {
        case .deliver: return nil
        case .authorization(let value): authorization = HeaderField(name: "Authorization", value: value)
        case .credential(let credential):
            guard let login = PasswordLogin(credential, for: history.hop.request, answering: challenges),
                let field = login.authorization(for: history.subject)
            else { return nil }
            history[Memory.self].login = login
            authorization = field
        }
        history[Memory.self].challengeCount += 1
        return history.request.authorized(by: authorization)
    }

    /// Whether the request has an `Authorization` field that is not the session's.
    private func isAuthorized(_ request: URLRequest) -> Bool {
        request.headers["Authorization"].map { $0 != defaultAuthorization } ?? false
    }
}

extension URLRequest {
    fileprivate func authorized(by authorization: HeaderField) -> URLRequest {
        var request = self
        request.headers.replace(with: authorization)
        return request
    }
}
