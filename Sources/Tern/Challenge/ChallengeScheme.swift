// SPDX-License-Identifier: Apache-2.0

/// The first challenge in the value of a `WWW-Authenticate` field (RFC 9110 §11.6.1).
struct ChallengeScheme {
    /// The maximum length of a response's challenges, in bytes: this runs on the reactor.
    static let limit = 4_096

    let method: ProtectionSpace.AuthenticationMethod
    let realm: String?

    init?(_ value: String) {
        var scanner = ChallengeScanner(Array(value.utf8.prefix(Self.limit)))
        guard let name = scanner.scheme() else { return nil }
        method =
            switch name {
            case "basic": .httpBasic
            case "digest": .httpDigest
            default: .default
            }
        realm = scanner.quotedValue(of: "realm")
    }

    /// The challenge to answer among those of a response: the first that accepts a name and a password, else the first.
    static func preferred(among values: [String]) -> ChallengeScheme? {
        var first: ChallengeScheme?
        var left = limit
        for value in values where left > 0 {
            left -= value.utf8.count
            guard let scheme = ChallengeScheme(value) else { continue }
            if scheme.method == .httpBasic { return scheme }
            first = first ?? scheme
        }
        return first
    }
}
