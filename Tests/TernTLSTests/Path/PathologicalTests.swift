// SPDX-License-Identifier: Apache-2.0
import TernTLS
import TernTesting
import Testing

/// Chains that are made to cost time, or to lead in circles.
struct PathologicalTests {
    private let root: CertificateAuthority
    private let policy = ServerTrustPolicy.performDefaultEvaluation(validateHost: true)

    init() throws { root = try CertificateAuthority(commonName: "Root") }

    /// A bound that a slow machine keeps too, and that runaway work would not.
    private func withinTwoSeconds<Result>(_ work: () throws -> Result) throws -> Result {
        let start = ThreadClock.now
        let result = try work()
        let duration = ThreadClock.now - start
        #expect(duration < .seconds(2), "\(duration)")
        return result
    }

    private func evaluate(_ leaf: Identity, _ more: [CertificateAuthority] = []) throws -> ServerTrustResult {
        let trust = try ServerTrust(leaf, more.map { try $0.certificate() }, anchors: [root.certificate()])
        return try withinTwoSeconds { policy.evaluate(trust, host: "localhost") }
    }

    @Test(arguments: ["permitted;DNS:", "excluded;DNS:"])
    func `thousands of names and thousands of constraints are refused in no time`(kind: String) throws {
        let constraints = (0..<2048).map { "\(kind)x\($0).test" }.joined(separator: ",")
        let names = (0..<2048).map { "y\($0).test" } + ["localhost"]
        let authorities = try (0..<3).map { index in
            try root.issueIntermediate(
                AuthorityRequest(
                    commonName: "Constrained",
                    extensions: [
                        CertificateExtension("nameConstraints", "critical," + constraints),
                        CertificateExtension("subjectKeyIdentifier", nil),
                    ]))
        }
        let leaf = try authorities[0].issue(
            LeafRequest(
                commonName: nil, dnsNames: names, extensions: [CertificateExtension("authorityKeyIdentifier", nil)]))
        #expect(try !evaluate(leaf, authorities).isAccepted)
    }

    @Test func `many constraints on a common leaf are compared`() throws {
        let constraints = (0..<200).map { "permitted;DNS:x\($0).test" }.joined(separator: ",")
        let authority = try root.issueIntermediate(
            AuthorityRequest(
                commonName: "Constrained",
                extensions: [CertificateExtension("nameConstraints", "critical,permitted;DNS:localhost," + constraints)]
            ))
        #expect(try evaluate(authority.issue(LeafRequest(dnsNames: ["localhost"]))).isAccepted)
    }

    @Test func `a loop of two authorities beside the path to the root is avoided`() throws {
        // CVE-2024-0567: GnuTLS refused the like.
        let (a, b) = (try CertificateAuthority(commonName: "A"), try CertificateAuthority(commonName: "B"))
        let (aByB, bByA) = (try b.crossSign(a), try a.crossSign(b))
        let leaf = try a.issue()
        #expect(try !evaluate(leaf, [aByB, bByA]).isAccepted)
        #expect(try evaluate(leaf, [aByB, bByA, root.crossSign(b)]).isAccepted)
        #expect(try evaluate(leaf, [root.crossSign(b), bByA, aByB]).isAccepted)
    }

    @Test func `one authority that has certified itself under its own name is no circle`() throws {
        let authority = try root.issueIntermediate(AuthorityRequest(commonName: "A"))
        let again = try (0..<20).map { _ in try authority.crossSign(authority) }
        let leaf = try authority.issue()
        let alone = leaf.sending(chainPEM: leaf.certificatePEM)
        #expect(try !evaluate(alone, again).isAccepted)
        #expect(try evaluate(alone, again + [authority]).isAccepted)
    }

    @Test func `a hundred certificates with one name and many keys are tried and given up`() throws {
        let bare = [
            CertificateExtension("subjectKeyIdentifier", nil), CertificateExtension("authorityKeyIdentifier", nil),
        ]
        let twins = try (0..<100).map { _ in
            try root.issueIntermediate(AuthorityRequest(commonName: "Twin", extensions: bare))
        }
        let stranger = try CertificateAuthority(AuthorityRequest(commonName: "Twin", extensions: bare))
        let leaf = try stranger.issue(LeafRequest(extensions: [CertificateExtension("authorityKeyIdentifier", nil)]))
        #expect(try !evaluate(leaf, twins).isAccepted)
    }

    @Test(arguments: [9, 10, 11])
    func `ten intermediates are the limit, whatever path finds them`(count: Int) throws {
        // An expired twin at every level makes the obvious path fail.
        var authority = root
        var twins: [CertificateAuthority] = []
        for level in 0..<count {
            let lower = try authority.issueIntermediate(AuthorityRequest(commonName: "Level \(level)"))
            twins.append(try authority.crossSign(lower, validity: .expired))
            authority = lower
        }
        let leaf = try authority.issue()
        #expect(try evaluate(leaf).isAccepted == (count <= 10))
        let sent = try twins.map { try $0.certificate() } + X509Certificate.all(inPEM: leaf.chainPEM).dropFirst()
        let trust = ServerTrust(
            sentChain: [try leaf.certificate()] + sent, anchors: .only([try root.certificate()]))
        #expect(try withinTwoSeconds { policy.evaluate(trust, host: "localhost") }.isAccepted == (count <= 10))
    }

    @Test(arguments: [0, -1, 1])
    func `both ends of the validity belong to it`(offset: Int64) throws {
        let validity = Validity(notBefore: 1_700_000_000, notAfter: 1_700_086_400)
        let leaf = try root.issue(LeafRequest(validity: validity))
        let wide = Validity(notBefore: 1_600_000_000, notAfter: 1_800_000_000)
        let anchor = try CertificateAuthority(
            AuthorityRequest(
                commonName: "Root", key: .existing(privateKeyPEM: root.privateKeyPEM), validity: wide))
        func accepts(_ time: Int64) throws -> Bool {
            policy.evaluate(
                try ServerTrust(leaf, anchors: [anchor.certificate()], time: time), host: "localhost"
            ).isAccepted
        }
        #expect(try accepts(validity.notBefore + offset) == (offset >= 0))
        #expect(try accepts(validity.notAfter + offset) == (offset <= 0))
    }
}
