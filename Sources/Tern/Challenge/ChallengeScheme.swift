// SPDX-License-Identifier: Apache-2.0

/// The first challenge in the value of a `WWW-Authenticate` field (RFC 9110 §11.6.1).
struct ChallengeScheme {
    let method: ProtectionSpace.AuthenticationMethod
    let realm: String?

    init?(_ value: String) {
        let name = value.prefix { $0 != " " && $0 != "," }.lowercased()
        if name.isEmpty { return nil }
        method =
            switch name {
            case "basic": .httpBasic
            case "digest": .httpDigest
            default: .default
            }
        // A quoted string, whose escapes stand for what follows them (RFC 9110 §5.6.4).
        let quoted = value.firstMatch(of: /realm="((?:[^"\\]|\\.)*)"/.ignoresCase())?.output.1
        realm = quoted.map { $0.replacing(/\\(.)/) { $0.output.1 } }.map { String($0) }
    }
}
