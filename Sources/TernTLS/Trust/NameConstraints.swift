// SPDX-License-Identifier: Apache-2.0

/// The subtrees of names an authority is confined to (RFC 5280 §4.2.1.10). OpenSSL does the comparing; this is for the
/// rules it leaves out.
struct NameConstraints {
    /// The base of a subtree, and whether it has the distances that RFC 5280 does not allow.
    struct Subtree {
        var base: SubjectAlternativeName
        var hasDistances: Bool
    }

    let isWellFormed: Bool
    private let constrainsDNS: Bool
    private let constrainsMail: Bool
    /// What is behind the first label of an excluded DNS name: the domains whose wildcards would include it.
    private let excludedParents: Set<String>

    /// Nil for a list that is not there.
    init(permitted: [Subtree]?, excluded: [Subtree]?) {
        let lists = [permitted, excluded].compactMap(\.self)
        let all = lists.flatMap(\.self)
        isWellFormed =
            !lists.isEmpty && lists.allSatisfy { !$0.isEmpty }
            && all.allSatisfy { !$0.hasDistances && Self.isWellFormed($0.base) }
        constrainsDNS = all.contains { if case .dns = $0.base { true } else { false } }
        constrainsMail = all.contains { if case .email = $0.base { true } else { false } }
        excludedParents = Set(
            (excluded ?? []).compactMap { subtree in
                guard case .dns(let base) = subtree.base, let dot = base.firstIndex(of: "."), dot != base.startIndex
                else { return nil }
                return HostName.canonical(String(base[base.index(after: dot)...]))
            })
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
        name.hasPrefix("*.") && excludedParents.contains(HostName.canonical(String(name.dropFirst(2))))
    }

    /// Whether a name is of a constrained kind, and not of a form that can be compared with a constraint.
    func cannotCompare(_ name: SubjectAlternativeName) -> Bool {
        switch name {
        case .dns(let text):
            let host = text.hasPrefix("*.") ? String(text.dropFirst(2)) : text
            return constrainsDNS && (host.isEmpty || !Self.isHost(host))
        case .email(let text): return constrainsMail && !(text.contains("@") && Self.isMailbox(text))
        case .ip, .uri, .other: return false
        }
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
