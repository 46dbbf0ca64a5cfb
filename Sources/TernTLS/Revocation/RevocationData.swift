// SPDX-License-Identifier: Apache-2.0

/// What there is to judge by whether certificates have been revoked. None of it is believed before its signature and its
/// dates have been checked, so it may come from anywhere.
public struct RevocationData: Sendable {
    /// The response that the server sent along with its certificates (RFC 6066 §8).
    public var stapledResponse: OCSPResponse?
    /// Responses that were fetched or are at hand.
    public var responses: [OCSPResponse]
    /// Lists that were fetched or are at hand.
    public var lists: [CertificateRevocationList]

    /// Nothing, unless something is given.
    public init(
        stapledResponse: OCSPResponse? = nil, responses: [OCSPResponse] = [], lists: [CertificateRevocationList] = []
    ) {
        self.stapledResponse = stapledResponse
        self.responses = responses
        self.lists = lists
    }

    /// The price of judging so many certificates by it, in units of `Work`: a list is hashed for each, and a response is gone
    /// through and its signature verified.
    func cost(ofJudging count: Int) -> Int {
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
