// SPDX-License-Identifier: Apache-2.0

/// What there is to judge by whether certificates have been revoked. None of it is believed before its signature and
/// its dates have been checked, so it may come from anywhere.
public struct RevocationData: Sendable {
    /// The response that the server sent along with its certificates (RFC 6066 §8).
    public var stapledResponse: OCSPResponse?
    /// Responses that were fetched or are at hand.
    public var responses: [OCSPResponse]
    /// Lists that were fetched or are at hand.
    public var lists: [CertificateRevocationList]

    /// The questions that were asked over the network before this was judged; nil where nothing is known about that.
    ///
    /// Set in what a delegate is shown about a handshake, see ``PendingVerdict``. A policy that has further questions
    /// then refuses the server with ``TrustFailure/Reason/revocationNotAsked``, also without
    /// ``RevocationFlags/requirePositiveResponse``: a responder that was not asked is not one that cannot be reached.
    public var askedQuestions: Set<RevocationQuestion>?

    /// Nothing, unless something is given.
    public init(
        stapledResponse: OCSPResponse? = nil, responses: [OCSPResponse] = [], lists: [CertificateRevocationList] = []
    ) {
        self.stapledResponse = stapledResponse
        self.responses = responses
        self.lists = lists
    }

    /// Whether it is known that one of the questions was not asked.
    func lacksAnswers(to questions: [RevocationQuestion]) -> Bool {
        guard let askedQuestions else { return false }
        return questions.contains { !askedQuestions.contains($0) }
    }

    /// The price of evaluating `count` certificates by it, in units of `EvaluationBudget`: a list is hashed for each, and a
    /// response is searched and its signature verified.
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
