// SPDX-License-Identifier: Apache-2.0

/// One challenge of a `WWW-Authenticate` or `Proxy-Authenticate` field (RFC 9110 §11.3).
package struct HTTPChallenge: Sendable, Hashable {
    /// The maximum length of a response's challenges that is read, in bytes, the maximum number of challenges, and that
    /// of the parameters of one: a reactor reads them.
    package static let (maximumLength, maximumCount, maximumParameterCount) = (8_192, 32, 32)

    /// The name of the scheme, in lower case.
    package let scheme: String
    /// The parameters in their order: names in lower case, values without quotes and escapes.
    package internal(set) var parameters: [Parameter] = []

    package struct Parameter: Sendable, Hashable {
        package let name: String
        package let value: String
    }

    init(scheme: String) { self.scheme = scheme }

    /// The challenges of these fields, in order. Of a field that breaks the syntax those before the error count.
    package static func challenges(in fields: [String]) -> [HTTPChallenge] {
        var challenges: [HTTPChallenge] = []
        var left = maximumLength
        for field in fields where left > 0 && challenges.count < maximumCount {
            var parser = ChallengeParser(Array(field.utf8.prefix(left)))
            challenges += parser.challenges(atMost: maximumCount - challenges.count)
            left -= field.utf8.count
        }
        return challenges
    }

    /// The value of the first parameter of this name, in lower case; nil if there is none.
    package subscript(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// The challenge that a password answers most safely: Digest with the strongest algorithm, then Basic; else the
    /// first.
    package static func preferred(
        among challenges: [HTTPChallenge], for schemes: PasswordCredential.Schemes = .all
    ) -> HTTPChallenge? {
        let digests = challenges.compactMap { challenge in DigestScheme(challenge).map { (challenge, $0) } }
        if schemes.contains(.digest), let best = digests.max(by: { $0.1.strength < $1.1.strength }) { return best.0 }
        let basic = schemes.contains(.basic) ? challenges.first { $0.scheme == "basic" } : nil
        return basic ?? challenges.first
    }

    package var realm: String? { self["realm"] }
}
