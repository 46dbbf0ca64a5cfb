// SPDX-License-Identifier: Apache-2.0

/// The available revocation data. Its signatures and dates are checked before it is used, so it may come from any
/// source.
public struct RevocationData: Sendable {
    /// The response that the server stapled to its certificates (RFC 6066 §8).
    public var stapledResponse: OCSPResponse?
    /// Responses, fetched or given.
    public var responses: [OCSPResponse]
    /// Lists, fetched or given.
    public var lists: [CertificateRevocationList]

    /// The questions that were sent over the network before this evaluation; nil if that is unknown.
    ///
    /// Set in the trust that a delegate receives in a handshake, see ``PendingVerdict``. A policy with further
    /// questions then refuses the server with ``TrustFailure/Reason/revocationNotAsked``, also without
    /// ``RevocationFlags/requirePositiveResponse``: a responder that was not asked is different from one that cannot be
    /// reached.
    public var askedQuestions: Set<RevocationQuestion>?

    /// Creates the data, empty by default.
    public init(
        stapledResponse: OCSPResponse? = nil, responses: [OCSPResponse] = [], lists: [CertificateRevocationList] = []
    ) {
        self.stapledResponse = stapledResponse
        self.responses = responses
        self.lists = lists
    }

    /// Whether one of the questions is known not to have been asked.
    func lacksAnswers(to questions: [RevocationQuestion]) -> Bool {
        guard let askedQuestions else { return false }
        return questions.contains { !askedQuestions.contains($0) }
    }

    /// The cost of evaluating `count` certificates with it, in units of `EvaluationBudget`: a list is hashed for each,
    /// and a response is searched and its signature verified.
    func cost(ofEvaluating count: Int) -> Int {
        let all = responses + [stapledResponse].compactMap(\.self)
        return max(0, count)
            * (all.reduce(0) { $0 + 250 + $1.der.count / 20 } + lists.reduce(0) { $0 + 150 + $1.size / 1000 })
    }

    package mutating func take(_ answer: RevocationAnswer) {
        switch answer {
        case .response(let response): responses.append(response)
        case .list(let list): lists.append(list)
        case .none: break
        }
    }
}
