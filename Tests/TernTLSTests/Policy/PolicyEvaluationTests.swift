// SPDX-License-Identifier: Apache-2.0
import TernLock
import TernTesting
import Testing

@testable import TernTLS

/// An evaluation comes to the same, wherever its work is done; what is the user's is done in one place.
struct PolicyEvaluationTests {
    private let root: CertificateAuthority
    private let trust: ServerTrust
    private let large: ServerTrust

    init() throws {
        root = try CertificateAuthority()
        trust = try ServerTrust(root.issue(), anchors: [root.certificate()])
        let names = ["localhost"] + (0..<3000).map { "\($0).test" }
        large = try ServerTrust(root.issue(LeafRequest(dnsNames: names)), anchors: [root.certificate()])
    }

    private static let chain = ServerTrustPolicy.performDefaultEvaluation(validateHost: true)
    private static let revocation = ServerTrustPolicy.performRevokedEvaluation(
        validateHost: true, revocationFlags: [.useAnyAvailableMethod, .networkAccessDisabled])

    @Test func `a common chain is evaluated at once`() throws {
        let names = ["localhost"] + (0..<300).map { "www\($0).example.test" }
        let top = try CertificateAuthority(AuthorityRequest(commonName: "Top", key: .p384))
        let middle = try top.issueIntermediate(AuthorityRequest(commonName: "Middle", key: .p384))
        let leaf = try middle.issue(LeafRequest(dnsNames: names))
        for policy in [Self.chain, Self.revocation, .composite([Self.chain])] {
            var evaluation = PolicyEvaluation(
                trust: try ServerTrust(leaf, anchors: [top.certificate()]), host: "localhost")
            #expect(evaluation.attempt(policy)?.isAccepted == true)
        }
    }

    @Test(arguments: ["localhost", "elsewhere.test"])
    func `what takes long is put off, and comes to the same`(host: String) throws {
        let pin = ServerTrustPolicy.pinPublicKeys(
            publicKeys: [try root.certificate().publicKey], validateCertificateChain: true, validateHost: true)
        for policy in [Self.chain, Self.revocation, pin, .composite([pin, .composite([Self.chain]), Self.revocation])] {
            var evaluation = PolicyEvaluation(trust: large, host: host)
            #expect(evaluation.attempt(policy) == nil)
            evaluation.prepare(for: policy)
            let (result, expected) = (evaluation.attempt(policy), policy.evaluate(large, host: host))
            #expect(result?.verdict == expected.verdict && result?.verifiedChain == expected.verifiedChain)
            #expect(result?.revocation == expected.revocation && result?.policy == expected.policy)
        }
    }

    @Test(arguments: [true, false])
    func `the user is asked once, and where the attempt is made`(answer: Bool) throws {
        let calls = Lock(0)
        let custom = ServerTrustPolicy.customEvaluation { _, _ in
            calls.withLock { $0 += 1 }
            return answer
        }
        let policies = answer ? [[custom, Self.chain], [Self.chain, custom]] : [[Self.chain, custom]]
        for policies in policies {
            calls.withLock { $0 = 0 }
            var evaluation = PolicyEvaluation(trust: large, host: "localhost")
            #expect(evaluation.attempt(.composite(policies)) == nil)
            let asked = calls.withLock { $0 }
            evaluation.prepare(for: .composite(policies))
            #expect(calls.withLock { $0 } == asked)
            #expect(evaluation.attempt(.composite(policies))?.isAccepted == answer)
            #expect(calls.withLock { $0 } == 1)
        }
    }

    @Test func `a refusal by the user needs no chain`() {
        var evaluation = PolicyEvaluation(trust: large, host: "localhost")
        let result = evaluation.attempt(.composite([.customEvaluation { _, _ in false }, Self.chain]))
        #expect(result?.failure?.reason == .customEvaluation)
    }

    @Test func `many lists are not gone through at once`() throws {
        var trust = trust
        let list = try CertificateRevocationList(der: root.revocationList(revoking: []))
        trust.revocation.lists = Array(repeating: list, count: 20)
        var evaluation = PolicyEvaluation(trust: trust, host: "localhost")
        #expect(evaluation.attempt(Self.revocation) == nil)
        evaluation.prepare(for: Self.revocation)
        #expect(evaluation.attempt(Self.revocation)?.isAccepted == true)
        evaluation.take(RevocationData(lists: [list]))
        #expect(evaluation.attempt(Self.revocation)?.revocation.first?.source == .crl)
    }
}

struct SignedPathTests {
    private let root: CertificateAuthority
    private let middle: CertificateAuthority
    private let leaf: Identity

    init() throws {
        root = try CertificateAuthority()
        middle = try root.issueIntermediate()
        leaf = try middle.issue()
    }

    private func path(_ trust: ServerTrust, _ budget: Int = 1_000_000) -> [X509Certificate] {
        var budget = EvaluationBudget(budget)
        return SignedPath(trust: trust).build(within: &budget)
    }

    @Test func `the path has the signers only, whatever else is sent`() throws {
        let chain = try [leaf.certificate(), middle.certificate(), root.certificate()]
        let stranger = try CertificateAuthority().certificate()
        #expect(path(try ServerTrust(leaf, [stranger], anchors: [root.certificate()])) == chain)
        #expect(path(try ServerTrust(leaf, [stranger], anchors: [])) == Array(chain.prefix(2)))
        #expect(path(ServerTrust(sentChain: [chain[0], stranger], anchors: .only([]))) == [chain[0]])
        #expect(path(ServerTrust(sentChain: [], anchors: .only([]))).isEmpty)
    }

    @Test func `an impostor with the issuer's name has signed nothing`() throws {
        let impostor = try CertificateAuthority(commonName: "Tern Test Intermediate CA").certificate()
        let own = try leaf.certificate()
        #expect(path(ServerTrust(sentChain: [own, impostor], anchors: .only([impostor]))) == [own])
    }

    @Test func `a signature with a broken hash proves nothing`() throws {
        let weak = try root.issue(LeafRequest(digest: .sha1)).certificate()
        let trust = ServerTrust(sentChain: [weak], anchors: .only([try root.certificate()]))
        #expect(path(trust) == [weak])
    }

    @Test func `without a budget the path ends at the leaf`() throws {
        let trust = try ServerTrust(leaf, anchors: [root.certificate()])
        #expect(path(trust, 0) == [try leaf.certificate()])
    }
}
