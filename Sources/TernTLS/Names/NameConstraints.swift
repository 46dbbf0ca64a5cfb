// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// The subtrees of names that an authority is limited to (RFC 5280 §4.2.1.10). OpenSSL compares names; this is for the
/// rules it omits.
struct NameConstraints {
    /// The base of a subtree, and whether it has the distances that RFC 5280 forbids.
    struct Subtree {
        var base: SubjectAlternativeName
        var hasDistances: Bool
    }

    let isWellFormed: Bool
    private let constrainsDNS: Bool
    private let constrainsMail: Bool
    /// The part after the first label of an excluded DNS name: the domains whose wildcards would include it.
    private let excludedParents: Set<String>

    /// Nil for an absent list.
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
        case .dns(let name): isDomain(name)
        case .ip(let bytes): (bytes.count == 8 || bytes.count == 32) && isMask(bytes.suffix(bytes.count / 2))
        case .email(let address): isMailbox(address)
        // OpenSSL compares the other kinds, and at worst permits none.
        case .uri(let host): host != "."
        case .other: true
        }
    }

    /// RFC 5280 allows no leading dot for DNS names, but authorities in use have it. A dot alone is invalid: it is read
    /// as everything and compared as nothing.
    private static func isDomain(_ name: String) -> Bool {
        name.hasPrefix(".") ? name != "." && isHost(String(name.dropFirst())) : isHost(name)
    }

    /// An empty base matches every name.
    private static func isHost(_ name: String) -> Bool {
        name.isEmpty
            || name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
                !label.isEmpty && label.allSatisfy(\.isHostCharacter)
            }
    }

    /// A mailbox, all mailboxes on a host, or with a leading dot in a domain; empty for all.
    private static func isMailbox(_ address: String) -> Bool {
        let parts = address.utf8.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2 else { return parts.count == 1 && isDomain(address) }
        return parts.allSatisfy { !$0.isEmpty } && isHost(String(decoding: parts[1], as: UTF8.self))
    }

    /// Ones, then zeros.
    private static func isMask(_ bytes: ArraySlice<UInt8>) -> Bool {
        let rest = bytes.drop { $0 == 0xff }
        guard let edge = rest.first else { return true }
        return (~edge & (~edge &+ 1)) == 0 && rest.dropFirst().allSatisfy { $0 == 0 }
    }

    /// Whether a wildcard name can match a name in an excluded subtree (CVE-2025-61727):
    /// `*.example.com` includes `secret.example.com`.
    func excludes(wildcard name: String) -> Bool {
        name.hasPrefix("*.") && excludedParents.contains(HostName.canonical(String(name.dropFirst(2))))
    }

    /// Whether a name is of a constrained kind but in a form that cannot be compared with a constraint.
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

extension X509Reference {
    /// Nil if there are none; OpenSSL has refused those that cannot be read.
    var nameConstraints: NameConstraints? {
        defer { OpenSSLError.clear() }
        guard hasExtension(NID_name_constraints),
            let value = unsafe X509_get_ext_d2i(pointer, NID_name_constraints, nil, nil)
        else { return nil }
        let constraints = unsafe value.assumingMemoryBound(to: NAME_CONSTRAINTS.self)
        defer { unsafe NAME_CONSTRAINTS_free(constraints) }
        return unsafe NameConstraints(
            permitted: constraints.pointee.permittedSubtrees.map { unsafe Self.subtrees($0) },
            excluded: constraints.pointee.excludedSubtrees.map { unsafe Self.subtrees($0) })
    }

    /// The number of subtrees; if they cannot be counted, the maximum that their bytes could contain.
    var subtreeLimit: Int {
        let content = contentOfExtension(NID_name_constraints)
        guard var lists = DERElements(sequence: content) else { return content.count / 4 }
        var count = 0
        while let list = lists.next() { count += DERElements(list.content).count(orAtMost: list.content.count / 4) }
        return lists.isAtEnd ? count : content.count / 4
    }

    /// The number of subjectAltNames; if they cannot be counted, the maximum that their bytes could contain.
    var nameLimit: Int {
        let content = contentOfExtension(NID_subject_alt_name)
        return DERElements(sequence: content)?.count(orAtMost: content.count / 2) ?? content.count / 2
    }

    @unsafe private static func subtrees(_ stack: OpaquePointer) -> [NameConstraints.Subtree] {
        (0..<max(0, unsafe tern_GENERAL_SUBTREES_count(stack))).compactMap { index in
            guard let subtree = unsafe tern_GENERAL_SUBTREES_at(stack, index), let base = unsafe subtree.pointee.base
            else { return nil }
            let hasMinimum = unsafe subtree.pointee.minimum != nil && ASN1_INTEGER_get(subtree.pointee.minimum) != 0
            return unsafe NameConstraints.Subtree(
                base: SubjectAlternativeName(base), hasDistances: hasMinimum || subtree.pointee.maximum != nil)
        }
    }
}
