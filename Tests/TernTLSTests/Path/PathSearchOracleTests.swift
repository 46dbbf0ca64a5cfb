// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

@testable import TernTLS

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
            profile: .standard)
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
