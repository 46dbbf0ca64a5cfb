// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

@testable import TernTLS

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
