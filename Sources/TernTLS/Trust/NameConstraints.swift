// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// The subtrees of names an authority is confined to (RFC 5280 §4.2.1.10). OpenSSL does the comparing; this is for the
/// rules it leaves out.
struct NameConstraints {
    /// The base of a subtree, and whether it has the distances that RFC 5280 does not allow.
    struct Subtree {
        var base: SubjectAlternativeName
        var hasDistances: Bool
    }

    var permitted: [Subtree]
    var excluded: [Subtree]

    var isWellFormed: Bool {
        let all = permitted + excluded
        return !all.isEmpty && all.allSatisfy { !$0.hasDistances && Self.isWellFormed($0.base) }
    }

    private static func isWellFormed(_ base: SubjectAlternativeName) -> Bool {
        switch base {
        case .dns(let name): isHost(name.hasPrefix(".") ? String(name.dropFirst()) : name)
        case .ip(let octets): (octets.count == 8 || octets.count == 32) && isMask(octets.suffix(octets.count / 2))
        case .email(let address): isMailbox(address)
        case .uri, .other: true
        }
    }

    /// Empty stands for every name. The leading dot that goes before is not RFC 5280's, but authorities in use have it.
    private static func isHost(_ name: String) -> Bool {
        name.isEmpty
            || name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
                !label.isEmpty && label.allSatisfy(\.isHostCharacter)
            }
    }

    /// A mailbox, all mailboxes on a host, or with a leading dot in a domain.
    private static func isMailbox(_ address: String) -> Bool {
        let parts = address.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard let host = parts.last, parts.count <= 2, parts.count == 1 || parts.first?.isEmpty == false else {
            return false
        }
        let name = String(decoding: host, as: UTF8.self)
        return isHost(parts.count == 1 && name.hasPrefix(".") ? String(name.dropFirst()) : name)
    }

    /// Ones, then zeros.
    private static func isMask(_ octets: ArraySlice<UInt8>) -> Bool {
        let rest = octets.drop { $0 == 0xff }
        guard let edge = rest.first else { return true }
        return (~edge & (~edge &+ 1)) == 0 && rest.dropFirst().allSatisfy { $0 == 0 }
    }

    /// Whether a name with a wildcard stands for one inside an excluded subtree, though it is not inside itself
    /// (CVE-2025-61727): `*.example.com` includes `secret.example.com`.
    func excludes(wildcard name: String) -> Bool {
        guard name.hasPrefix("*.") else { return false }
        let domain = HostName.canonical(String(name.dropFirst()))
        return excluded.contains { subtree in
            guard case .dns(let text) = subtree.base, !text.hasPrefix(".") else { return false }
            let base = HostName.canonical(text)
            return base.hasSuffix(domain) && !base.dropLast(domain.utf8.count).contains(".")
        }
    }

    /// Whether a name is of a constrained kind, and not of a form that can be compared with a constraint.
    func cannotCompare(_ name: SubjectAlternativeName) -> Bool {
        switch name {
        case .dns(let text):
            guard constrains(where: { if case .dns = $0 { true } else { false } }) else { return false }
            let host = text.hasPrefix("*.") ? String(text.dropFirst(2)) : text
            return host.isEmpty || !Self.isHost(host)
        case .email(let text):
            return constrains(where: { if case .email = $0 { true } else { false } })
                && !(text.contains("@") && Self.isMailbox(text))
        case .ip, .uri, .other: return false
        }
    }

    private func constrains(where isOfKind: (SubjectAlternativeName) -> Bool) -> Bool {
        (permitted + excluded).contains { isOfKind($0.base) }
    }
}

extension UInt8 {
    fileprivate var isHostCharacter: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
