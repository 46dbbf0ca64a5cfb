// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

@testable import TernTLS

/// Several paths lead from the leaf to an anchor, and only one of them is valid.
struct PathSearchTests {
    private let policy = ServerTrustPolicy.performDefaultEvaluation(validateHost: true)
    private let root: CertificateAuthority
    private let authority: CertificateAuthority

    init() throws {
        root = try CertificateAuthority(commonName: "Root")
        authority = try root.issueIntermediate(AuthorityRequest(commonName: "A"))
    }

    /// What can be wrong with the certificate of an authority, or with its signature.
    enum Defect: String, CaseIterable {
        case expired, notYetValid, excludedName, notPermittedName, clientsOnly, noAuthority, noBasicConstraints
        case noKeyCertSign, weakKey, weakSignature, brokenSignature, pathLength, unknownCritical, duplicate

        func request(_ name: String) -> AuthorityRequest {
            var request = AuthorityRequest(commonName: name)
            func add(_ extensionName: String, _ value: String?) {
                request.extensions.append(CertificateExtension(extensionName, value))
            }
            switch self {
            case .expired: request.validity = .expired
            case .notYetValid: request.validity = .future
            case .excludedName: add("nameConstraints", "critical,excluded;DNS:localhost")
            case .notPermittedName: add("nameConstraints", "critical,permitted;DNS:elsewhere.test")
            case .clientsOnly: add("extendedKeyUsage", "clientAuth")
            case .noAuthority: add("basicConstraints", "critical,CA:FALSE")
            case .noBasicConstraints: add("basicConstraints", nil)
            case .noKeyCertSign: add("keyUsage", "critical,cRLSign")
            case .weakKey: request.key = .rsa(bits: 1024)
            case .weakSignature: request.digest = .sha1
            case .brokenSignature: request.flaws.hasBrokenSignature = true
            case .pathLength: add("basicConstraints", "critical,CA:TRUE,pathlen:0")
            case .unknownCritical: add("1.3.6.1.4.1.99999.1", "critical,ASN1:UTF8String:x")
            case .duplicate:
                for _ in 0..<2 { add("1.3.6.1.4.1.99999.1", "ASN1:UTF8String:x") }
            }
            return request
        }

        /// A key of its own is part of the defect, and a certificate with another key is another authority.
        var isOfTheKey: Bool { self == .weakKey }
    }

    private func evaluate(
        _ leaf: Identity, _ sent: [CertificateAuthority], anchors: [CertificateAuthority]
    ) throws -> ServerTrustResult {
        let alone = leaf.sending(chainPEM: leaf.certificatePEM)
        let trust = try ServerTrust(
            alone, sent.map { try $0.certificate() }, anchors: anchors.map { try $0.certificate() })
        return policy.evaluate(trust, host: "localhost")
    }

    @Test(arguments: Defect.allCases.filter { !$0.isOfTheKey })
    func `a bad certificate beside a good one for the same authority does no harm`(defect: Defect) throws {
        let other = try CertificateAuthority(commonName: "Other Root")
        // One level below, so that a path length of zero is too short.
        let last = try authority.issueIntermediate(AuthorityRequest(commonName: "Last"))
        let leaf = try last.issue()
        for signer in [root, other] {
            let bad = try signer.crossSign(authority, defect.request("A"))
            for sent in [[last, bad, authority], [authority, bad, last]] {
                for anchors in [[root, other], [other, root], [root]] {
                    let result = try evaluate(leaf, sent, anchors: anchors)
                    #expect(result.isAccepted, "\(result)")
                    #expect(result.verifiedChain.contains(try authority.certificate()))
                }
            }
            #expect(try !evaluate(leaf, [last, bad], anchors: [root, other]).isAccepted)
        }
    }

    @Test(arguments: Defect.allCases.filter { $0 != .brokenSignature && $0 != .weakSignature })
    func `a bad anchor beside a good one for the same authority does no harm`(defect: Defect) throws {
        let key = KeyKind.existing(privateKeyPEM: root.privateKeyPEM)
        var request = defect.request("Root")
        if !defect.isOfTheKey { request.key = key }
        let bad = try CertificateAuthority(request)
        let leaf = try authority.issueIntermediate(AuthorityRequest(commonName: "Last")).issue()
        let sent = try X509Certificate.all(inPEM: leaf.chainPEM)
        for anchors in [[bad, root], [root, bad]] {
            let trust = ServerTrust(sentChain: sent, anchors: .only(try anchors.map { try $0.certificate() }))
            let result = policy.evaluate(trust, host: "localhost")
            #expect(result.isAccepted, "\(result)")
        }
        let trust = ServerTrust(sentChain: sent, anchors: .only([try bad.certificate()]))
        #expect(!policy.evaluate(trust, host: "localhost").isAccepted)
    }

    @Test func `the search comes back from deep wrong branches`() throws {
        // Leaf ← A, and A has four certificates: three lead up three levels each to a dead end or a bad root.
        let expired = try CertificateAuthority(
            AuthorityRequest(commonName: "Expired Root", validity: .expired))
        let foreign = try CertificateAuthority(commonName: "Foreign Root")
        let narrow = try CertificateAuthority(
            AuthorityRequest(
                commonName: "Narrow Root",
                extensions: [CertificateExtension("nameConstraints", "critical,permitted;DNS:other.test")]))
        var sent: [CertificateAuthority] = []
        for (index, top) in [expired, foreign, narrow].enumerated() {
            let first = try top.issueIntermediate(AuthorityRequest(commonName: "Upper \(index)"))
            let second = try first.issueIntermediate(AuthorityRequest(commonName: "Lower \(index)"))
            let cross = try second.crossSign(authority)
            sent += [cross, second, first]
        }
        let leaf = try authority.issue()
        for order in [sent + [authority], [authority] + sent, sent.reversed() + [authority]] {
            let result = try evaluate(leaf, order, anchors: [expired, narrow, root])
            #expect(result.isAccepted, "\(result)")
            #expect(result.verifiedChain.count == 3)
        }
        let refused = try evaluate(leaf, sent, anchors: [expired, narrow])
        #expect(!refused.isAccepted)
    }

    @Test func `a mesh of authorities that all signed each other is searched through`() throws {
        let names = ["A", "B", "C", "D"]
        let tops = try names.map { try CertificateAuthority(commonName: $0) }
        var sent: [CertificateAuthority] = []
        for signer in tops { for other in tops where other !== signer { sent.append(try signer.crossSign(other)) } }
        // The only path out of the mesh: D by the root.
        let exit = try root.crossSign(tops[3])
        let leaf = try tops[0].issue()
        let result = try evaluate(leaf, sent + [exit], anchors: [root])
        #expect(result.isAccepted, "\(result)")
        #expect(try evaluate(leaf, sent, anchors: [root]).failure?.reason == .missingIssuer)
    }

    @Test func `several keys of one name are distinguished by trying them`() throws {
        let bare = [
            CertificateExtension("subjectKeyIdentifier", nil), CertificateExtension("authorityKeyIdentifier", nil),
        ]
        let twins = try (0..<6).map { _ in
            try root.issueIntermediate(AuthorityRequest(commonName: "Twin", extensions: bare))
        }
        for twin in twins {
            let leaf = try twin.issue(LeafRequest(extensions: [CertificateExtension("authorityKeyIdentifier", nil)]))
            let result = try evaluate(leaf, twins, anchors: [root])
            #expect(result.isAccepted, "\(result)")
            #expect(result.verifiedChain.dropFirst().first == (try twin.certificate()))
        }
    }

    @Test func `an authority may have renewed its key in its own name`() throws {
        // RFC 4210 §4.4: the new key, certified by the old one; both certificates have the name Root.
        let new = try CertificateAuthority(commonName: "Root")
        let newWithOld = try root.crossSign(new)
        let expired = try root.crossSign(new, validity: .expired)
        for sent in [[newWithOld], [expired, newWithOld], [newWithOld, expired]] {
            let result = try evaluate(new.issue(), sent, anchors: [root])
            #expect(result.isAccepted, "\(result)")
            #expect(result.verifiedChain.count == 3)
        }
    }

    @Test func `an intermediate may have the name of its root, and nothing say whose key is meant`() throws {
        let nameless = CertificateExtension("authorityKeyIdentifier", nil)
        let new = try CertificateAuthority(commonName: "Root")
        let newWithOld = try root.crossSign(new)
        let namesake = try authority.issueIntermediate(AuthorityRequest(commonName: "Root"))
        let below = try newWithOld.issueIntermediate(AuthorityRequest(commonName: "B", extensions: [nameless]))
        for (issuer, sent) in [
            (newWithOld, [newWithOld]), (namesake, [namesake, authority]), (below, [below, newWithOld]),
        ] {
            let result = try evaluate(issuer.issue(LeafRequest(extensions: [nameless])), sent, anchors: [root])
            #expect(result.isAccepted, "\(result)")
            #expect(result.verifiedChain.count == sent.count + 2)
        }
    }

    @Test func `what an authority's old key says of its new one may be an anchor`() throws {
        let new = try CertificateAuthority(commonName: "Root")
        let newWithOld = try root.crossSign(new)
        for anchors in [[newWithOld], [newWithOld, root]] {
            let result = try evaluate(new.issue(), [newWithOld], anchors: anchors)
            #expect(result.isAccepted, "\(result)")
        }
    }

    @Test func `many names and many constraints are no obstacle to the second path`() throws {
        let constraints = (0..<300).map { "permitted;DNS:host-\($0).example.test" } + ["permitted;DNS:localhost"]
        let extensions = [CertificateExtension("nameConstraints", "critical," + constraints.joined(separator: ","))]
        let narrow = try root.crossSign(authority, AuthorityRequest(commonName: "A", extensions: extensions))
        let useless = try root.crossSign(authority, Defect.clientsOnly.request("A"))
        let names = (0..<100).map { "www.host-\($0).example.test" } + ["localhost"]
        let leaf = try authority.issue(LeafRequest(dnsNames: names))
        for sent in [[useless, narrow], [narrow, useless]] {
            let result = try evaluate(leaf, sent, anchors: [root])
            #expect(result.isAccepted, "\(result)")
        }
    }

    @Test func `the search holds intermediates to the rules for intermediates`() throws {
        // In the web profile a root has no extendedKeyUsage, and an intermediate may.
        let request = AuthorityRequest(
            commonName: "Web", extensions: [CertificateExtension("extendedKeyUsage", "serverAuth")])
        let web = try root.issueIntermediate(request)
        var constrained = request
        constrained.extensions.append(CertificateExtension("nameConstraints", "critical,excluded;DNS:localhost"))
        let useless = try root.crossSign(web, constrained)
        let leaf = try web.issue(LeafRequest(commonName: nil, validity: .days(-1, to: 40))).certificate()
        for sent in [[useless, web], [web, useless]] {
            let trust = ServerTrust(
                sentChain: [leaf] + (try sent.map { try $0.certificate() }), anchors: .only([try root.certificate()]),
                profile: .web)
            let result = policy.evaluate(trust, host: "localhost")
            #expect(result.isAccepted, "\(result)")
        }
    }

    @Test func `a pinned leaf needs none of the bad certificates it comes with`() throws {
        let expired = try root.issueIntermediate(AuthorityRequest(commonName: "Expired", validity: .expired))
        let leaf = try expired.issue()
        let trust = try ServerTrust(leaf, [root.certificate()], anchors: [leaf.certificate()])
        let result = policy.evaluate(trust, host: "localhost")
        #expect(result.isAccepted, "\(result)")
        #expect(result.verifiedChain == [try leaf.certificate()])
    }

    @Test func `the refusal speaks of the path that came closest`() throws {
        let other = try CertificateAuthority(commonName: "Other Root")
        let cross = try other.crossSign(authority)
        let expired = try root.crossSign(authority, validity: .expired)
        let leaf = try authority.issue()
        for sent in [[cross, expired], [expired, cross]] {
            let result = try evaluate(leaf, sent, anchors: [root])
            guard case .expired = result.failure?.reason else {
                Issue.record("\(result)")
                continue
            }
            #expect(result.failure?.certificate == (try expired.certificate()))
        }
    }

    @Test func `a hostile mesh buys little work`() throws {
        // One key with ten names, each of which certifies all others: ten factorial paths, and none to an anchor.
        let bare = [
            CertificateExtension("subjectKeyIdentifier", nil), CertificateExtension("authorityKeyIdentifier", nil),
        ]
        let names = (0..<10).map { "Mesh \($0)" }
        var sent: [CertificateAuthority] = []
        for name in names {
            for other in names where other != name {
                var request = AuthorityRequest(commonName: name, extensions: bare)
                request.flaws.issuerCommonName = other
                sent.append(try authority.crossSign(authority, request))
            }
        }
        var request = LeafRequest(extensions: [CertificateExtension("authorityKeyIdentifier", nil)])
        request.flaws.issuerCommonName = names[0]
        let leaf = try authority.issue(request)
        let start = ThreadClock.now
        #expect(try !evaluate(leaf, sent, anchors: [root]).isAccepted)
        let duration = ThreadClock.now - start
        #expect(duration < .seconds(2), "\(duration)")
    }
}

/// The search against an oracle that tries every possible path separately: if one is valid, the server is accepted,
/// whatever the other certificates are and in whatever order they come.
struct PathSearchOracleTests {
    /// A small generator, so that a failure can be repeated from its seed (Marsaglia's xorshift).
    private struct Dice: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
    }

    private let identity = ReferenceIdentity("localhost")
    private let time = Timestamp.now

    @Test(arguments: 1...40)
    func `a good path is found if and only if there is one`(seed: UInt64) throws {
        var dice = Dice(state: seed &* 0x9E37_79B9_7F4A_7C15)
        let tops = try (0..<5).map { try CertificateAuthority(commonName: "Authority \($0)") }
        var sent: [X509Certificate] = []
        for signer in tops {
            for other in tops where other !== signer && Int.random(in: 0..<3, using: &dice) > 0 {
                let defects = PathSearchTests.Defect.allCases.filter { !$0.isOfTheKey }
                var request = AuthorityRequest(commonName: try other.name)
                if Int.random(in: 0..<10, using: &dice) < 6, let defect = defects.randomElement(using: &dice) {
                    request = defect.request(request.commonName)
                }
                sent.append(try signer.crossSign(other, request).certificate())
            }
        }
        let anchor = try tops[4].certificate()
        let leaf = try tops[0].issue().certificate()
        sent.shuffle(using: &dice)
        let verifier = ChainVerifier(
            leaf: leaf, untrusted: sent, store: TrustStore([anchor]), identity: identity, time: time,
            rules: ChainRules(profile: .standard))
        var count = 0
        let isGood = isReachable([leaf], sent, anchor, verifier, &count)
        var work = EvaluationBudget.whole
        switch verifier.verify(within: &work) {
        case .valid(let path):
            #expect(isGood)
            #expect(path.first == leaf && path.last == anchor)
        case .refused(let problem): #expect(!isGood, "seed \(seed), \(count) paths, \(problem)")
        }
    }

    /// Every path of distinct certificates, validated whole and not before it is whole.
    private func isReachable(
        _ path: [X509Certificate], _ sent: [X509Certificate], _ anchor: X509Certificate, _ verifier: ChainVerifier,
        _ count: inout Int
    ) -> Bool {
        guard let last = path.last else { return false }
        if last.issuer == anchor.subject {
            count += 1
            if case .valid = verifier.check(path + [anchor], isComplete: true) { return true }
        }
        for next in sent where next.subject == last.issuer && !path.contains(where: { $0.subject == next.subject }) {
            if isReachable(path + [next], sent, anchor, verifier, &count) { return true }
        }
        return false
    }
}

extension CertificateAuthority {
    fileprivate var name: String {
        get throws { String(try certificate().subject.dropFirst("CN=".count)) }
    }
}
