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
            * (all.reduce(0) { $0 + 250 + $1.readingCost } + lists.reduce(0) { $0 + 150 + $1.size / 1000 })
    }

    package mutating func take(_ answer: RevocationAnswer) {
        switch answer {
        case .response(let response): responses.append(response)
        case .list(let list): lists.append(list)
        case .issuers, .none: break
        }
    }
}

/// A question about a certificate's revocation, or its issuer, that can be sent over the network. This module cannot
/// send it; its caller can.
public enum RevocationQuestion: Sendable, Hashable {
    /// POST the DER `OCSPRequest` to the URL, as `application/ocsp-request` (RFC 6960 §A.1).
    case ocsp(url: String, request: [UInt8])
    /// GET the list at the URL.
    case list(url: String)
    /// GET the certificate of the issuer, which the server did not send, at the URL (RFC 5280 §4.2.2.1). No finding
    /// about revocation has it.
    case issuer(url: String)

    /// The URL to ask.
    public var url: String {
        switch self {
        case .ocsp(let url, _), .list(let url), .issuer(let url): url
        }
    }
}

/// The answer.
public enum RevocationAnswer: Sendable {
    /// The response of a responder.
    case response(OCSPResponse)
    /// A list.
    case list(CertificateRevocationList)
    /// Certificates, none of which is verified.
    case issuers([X509Certificate])
    /// No answer, or none in time.
    case none
}

/// The revocation status of one certificate.
public struct RevocationFinding: Sendable, Hashable {
    /// The status, and how long it is valid.
    public enum Status: Sendable, Hashable {
        /// Not revoked, according to data that is valid until this time (seconds since 1970).
        case good(until: Int64)
        /// Revoked at this time (seconds since 1970), if it is given.
        case revoked(at: Int64?)
        /// A responder that should know the certificate does not.
        case unknown
        /// There is no usable data: no response and no list, or only ones that are outdated, are about other
        /// certificates, or have an invalid signature.
        case undetermined
    }

    /// The source of the status.
    public enum Source: String, Sendable, Hashable {
        /// The server's stapled response.
        case staple
        /// A responder.
        case ocsp
        /// A revocation list.
        case crl
    }

    /// The certificate's position in the verified chain; 0 is the leaf.
    public let depth: Int
    /// The certificate.
    public let certificate: X509Certificate
    /// Its status.
    public let status: Status
    /// Nil for `undetermined`.
    public let source: Source?
    /// The questions that may determine the status, in the order the policy prefers.
    public let questions: [RevocationQuestion]
}
