// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

@testable import TernTLS

struct TrustFailureTests {
    private let root: CertificateAuthority
    private let policy = ServerTrustPolicy.performDefaultEvaluation(validateHost: true)

    init() throws { root = try CertificateAuthority(commonName: "Root") }

    @Test func `a failure names the place and the certificate`() throws {
        let certificate = try root.certificate()
        func text(_ reason: TrustFailure.Reason) -> String {
            TrustFailure(reason, host: "a.test", depth: 2, certificate: certificate, seen: []).description
        }
        #expect(text(.weakKey) == "a.test is not trusted: the key of certificate 2 (CN=Root) is too weak")
        #expect(text(.expired(notAfter: 0)).contains("certificate 2 (CN=Root) expired at 1970-01-01"))
        #expect(text(.missingIssuer).contains("the issuer (CN=Root) of certificate 2 (CN=Root)"))
        #expect(text(.revoked(at: nil)).hasSuffix("was revoked"))
        #expect(text(.keyNotPinned(pins: [])).hasSuffix("no key is pinned, so none can match"))
    }

    @Test func `a host that is endless makes no long message`() {
        let host = String(repeating: "x", count: 10_000)
        #expect(TrustFailure(.noCertificate, host: host, seen: []).description.utf8.count < 200)
    }

    @Test func `an error lists only some of many names`() throws {
        let names = (0..<1000).map { "\($0).test" } + [String(repeating: "x", count: 5000)]
        let leaf = try root.issue(LeafRequest(dnsNames: names))
        let result = policy.evaluate(try ServerTrust(leaf, anchors: [root.certificate()]), host: "localhost")
        let failure = try #require(result.failure)
        #expect(failure.description.hasSuffix("0.test, DNS:1.test, DNS:2.test, DNS:3.test, DNS:4.test and 996 more"))
        #expect("\(TLSError(.trust(failure)))".utf8.count < 500 && result.explanation.utf8.count < 1000)
    }
}
