// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

@testable import TernTLS

struct NameConstraintsTests {
    private func constraints(
        permitted: [SubjectAlternativeName]? = nil, excluded: [SubjectAlternativeName]? = nil
    ) -> NameConstraints {
        func subtrees(_ names: [SubjectAlternativeName]?) -> [NameConstraints.Subtree]? {
            names?.map { NameConstraints.Subtree(base: $0, hasDistances: false) }
        }
        return NameConstraints(permitted: subtrees(permitted), excluded: subtrees(excluded))
    }

    @Test(arguments: [
        (SubjectAlternativeName.dns("example.com"), true), (.dns(".example.com"), true), (.dns(""), true),
        (.dns("."), false), (.dns("a..b"), false), (.dns("*.example.com"), false), (.dns("a b"), false),
        (.ip([10, 0, 0, 0, 255, 0, 0, 0]), true), (.ip([10, 0, 0, 0, 255, 254, 0, 0]), true),
        (.ip([10, 0, 0, 0, 255, 0, 255, 0]), false), (.ip([10, 0, 0, 0, 253, 0, 0, 0]), false),
        (.ip([10, 0, 0, 0]), false), (.ip([UInt8](repeating: 0, count: 32)), true),
        (.ip([UInt8](repeating: 0, count: 16)), false), (.email("a@example.com"), true), (.email("example.com"), true),
        (.email(".example.com"), true), (.email("a@b@c"), false), (.email("@example.com"), false), (.uri("."), false),
        (.uri("example.com"), true), (.other(4), true),
    ])
    func `a base is well formed or not by its kind`(base: SubjectAlternativeName, isWellFormed: Bool) {
        #expect(constraints(permitted: [base]).isWellFormed == isWellFormed)
        #expect(constraints(excluded: [.dns("fine.test"), base]).isWellFormed == isWellFormed)
    }

    @Test func `no list, an empty list and distances are malformed`() {
        #expect(!constraints().isWellFormed)
        #expect(!constraints(permitted: []).isWellFormed)
        #expect(!constraints(permitted: [.dns("a.test")], excluded: []).isWellFormed)
        let distant = NameConstraints.Subtree(base: .dns("a.test"), hasDistances: true)
        #expect(!NameConstraints(permitted: [distant], excluded: nil).isWellFormed)
    }

    @Test func `a wildcard that covers an excluded name is excluded`() {
        let some = constraints(permitted: [.dns("b.other.test")], excluded: [.dns("Secret.Example.com"), .dns("test")])
        #expect(some.excludes(wildcard: "*.example.com"))
        #expect(some.excludes(wildcard: "*.EXAMPLE.com."))
        #expect(!some.excludes(wildcard: "a.example.com"))
        #expect(!some.excludes(wildcard: "*.secret.example.com"))
        #expect(!some.excludes(wildcard: "*.other.test"))
    }

    @Test(arguments: [
        (SubjectAlternativeName.dns("a.test"), false), (.dns("*.a.test"), false), (.dns("a b"), true),
        (.dns(""), true), (.dns("*."), true), (.email("odd"), false), (.ip([1]), false),
    ])
    func `a name of a constrained kind that cannot be compared is found`(name: SubjectAlternativeName, cannot: Bool) {
        #expect(constraints(permitted: [.dns("test")]).cannotCompare(name) == cannot)
        #expect(!constraints(permitted: [.ip([10, 0, 0, 0, 255, 0, 0, 0])]).cannotCompare(name))
    }

    @Test func `a mailbox is compared where mail is constrained`() {
        let mail = constraints(permitted: [.email("example.com")])
        #expect(mail.cannotCompare(.email("odd")))
        #expect(!mail.cannotCompare(.email("a@example.com")))
        #expect(!mail.cannotCompare(.dns("a b")))
    }
}

/// Every combination of constraints on names and addresses with the names a leaf can have, against RFC 5280 §4.2.1.10
/// in a few lines: 5,184 evaluations.
struct NameConstraintMatrixTests {
    /// What a list of subtrees says about a kind of name.
    private enum Subtrees: CaseIterable { case none, home, elsewhere }

    fileprivate enum Presented: CaseIterable { case none, home, elsewhere, both }

    private struct Constraints {
        var permittedDNS, excludedDNS, permittedIP, excludedIP: Subtrees

        var text: String? {
            let all: [(Subtrees, String, [String])] = [
                (permittedDNS, "permitted;DNS:", ["home.test", "away.test"]),
                (excludedDNS, "excluded;DNS:", ["home.test", "away.test"]),
                (permittedIP, "permitted;IP:", ["192.0.2.0/255.255.255.0", "198.51.100.0/255.255.255.0"]),
                (excludedIP, "excluded;IP:", ["192.0.2.0/255.255.255.0", "198.51.100.0/255.255.255.0"]),
            ]
            let parts = all.compactMap { subtrees, prefix, bases in
                switch subtrees {
                case .none: nil as String?
                case .home: prefix + bases[0]
                case .elsewhere: prefix + bases[1]
                }
            }
            return parts.isEmpty ? nil : "critical," + parts.joined(separator: ",")
        }

        func allow(_ name: Presented, _ permitted: Subtrees, _ excluded: Subtrees) -> Bool {
            switch name {
            case .none: true
            case .home: permitted != .elsewhere && excluded != .home
            case .elsewhere: permitted != .home && excluded != .elsewhere
            case .both: permitted == .none && excluded == .none
            }
        }
    }

    private static let hosts = ["www.home.test", "192.0.2.1"]

    @Test func `names are held to the constraints of their kind, and to no others`() throws {
        let root = try CertificateAuthority(commonName: "Root")
        let authority = try root.issueIntermediate(AuthorityRequest(commonName: "Authority"))
        let anchors = TrustAnchors.only([try root.certificate()])
        let policy = ServerTrustPolicy.performDefaultEvaluation(validateHost: true)
        let leaves = try self.leaves(of: authority)
        for constraints in Self.allConstraints {
            let extensions = constraints.text.map { [CertificateExtension("nameConstraints", $0)] } ?? []
            let constrained = try root.crossSign(
                authority, AuthorityRequest(commonName: "Authority", extensions: extensions)
            ).certificate()
            for (certificate, dns, ip) in leaves {
                let isInside =
                    constraints.allow(dns, constraints.permittedDNS, constraints.excludedDNS)
                    && constraints.allow(ip, constraints.permittedIP, constraints.excludedIP)
                let trust = ServerTrust(sentChain: [certificate, constrained], anchors: anchors)
                for (host, presented) in zip(Self.hosts, [dns, ip]) {
                    let result = policy.evaluate(trust, host: host)
                    #expect(
                        result.isAccepted == (isInside && (presented == .home || presented == .both)),
                        "\(constraints.text ?? "none"), \(dns), \(ip): \(result)")
                }
            }
        }
    }

    private static var allConstraints: [Constraints] {
        Subtrees.allCases.flatMap { a in
            Subtrees.allCases.flatMap { b in
                Subtrees.allCases.flatMap { c in
                    Subtrees.allCases.map { d in
                        Constraints(permittedDNS: a, excludedDNS: b, permittedIP: c, excludedIP: d)
                    }
                }
            }
        }
    }

    /// Each with a common name that would fit the host, and with one that would not.
    private func leaves(
        of authority: CertificateAuthority
    ) throws -> [(certificate: X509Certificate, dns: Presented, ip: Presented)] {
        try Presented.allCases.flatMap { dns in
            try Presented.allCases.flatMap { ip in
                try ["www.home.test", "www.away.test"].map { commonName in
                    let request = LeafRequest(
                        commonName: commonName, dnsNames: dns.text("www.home.test", "www.away.test"),
                        ipAddresses: ip.text("192.0.2.1", "198.51.100.1"))
                    return (try authority.issue(request).certificate(), dns, ip)
                }
            }
        }
    }
}

extension NameConstraintMatrixTests.Presented {
    fileprivate func text(_ home: String, _ elsewhere: String) -> [String] {
        switch self {
        case .none: []
        case .home: [home]
        case .elsewhere: [elsewhere]
        case .both: [elsewhere, home]
        }
    }
}
