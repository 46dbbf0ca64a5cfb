// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

@testable import TernTLS

struct PolicyConstraintsTests {
    @Test(
        arguments: [
            ([0x30, 3, 0x80, 1, 0], 0), ([0x30, 3, 0x80, 1, 7], 7), ([0x30, 6, 0x80, 1, 2, 0x81, 1, 0], 2),
            ([0x30, 3, 0x81, 1, 0], nil), ([0x30, 4, 0x80, 2, 1, 0], 256), ([0x30, 5, 0x80, 3, 1, 0, 0], 65535),
        ] as [([UInt8], Int?)])
    func `the number is how many certificates may come before policies count`(encoding: [UInt8], number: Int?) throws {
        let constraints = try #require(PolicyConstraints(encoding))
        #expect(constraints.requireExplicitPolicy == number)
    }

    @Test(
        arguments: [
            [], [0x30, 0], [0x04, 0], [0x30, 2, 0x80, 0], [0x30, 3, 0x80, 1, 0xff], [0x30, 3, 0x82, 1, 0],
            [0x30, 6, 0x81, 1, 0, 0x80, 1, 0], [0x30, 6, 0x80, 1, 0, 0x80, 1, 0], [0x30, 4, 0x80, 1, 0, 0],
        ] as [[UInt8]])
    func `what is empty, below zero, twice, out of order or unknown is none`(encoding: [UInt8]) {
        #expect(PolicyConstraints(encoding) == nil)
    }
}

struct ExplicitPolicyTests {
    /// Root, intermediate, leaf, with policy constraints where a number is given; leaf first.
    private func path(root: Int? = nil, middle: Int? = nil, leaf: Int? = nil) throws -> [X509Certificate] {
        func extensions(_ number: Int?) -> [CertificateExtension] {
            number.map { [CertificateExtension("policyConstraints", "critical,requireExplicitPolicy:\($0)")] } ?? []
        }
        let top = try CertificateAuthority(AuthorityRequest(commonName: "Top", extensions: extensions(root)))
        let below = try top.issueIntermediate(AuthorityRequest(commonName: "Middle", extensions: extensions(middle)))
        let end = try below.issue(LeafRequest(extensions: extensions(leaf)))
        return try [end.certificate(), below.certificate(), top.certificate()]
    }

    @Test(
        arguments: [
            (nil, nil, nil, false), (nil, 0, nil, true), (nil, 1, nil, true), (nil, 2, nil, false), (nil, nil, 0, true),
            (nil, nil, 1, false),
            // RFC 5280 §6.1.1 d: an anchor's demands do not count.
            (0, nil, nil, false),
        ] as [(Int?, Int?, Int?, Bool)])
    func `policies are required where an authority says so, that many certificates further`(
        root: Int?, middle: Int?, leaf: Int?, isRequired: Bool
    ) throws {
        #expect(ExplicitPolicy.isRequired(in: try path(root: root, middle: middle, leaf: leaf)) == isRequired)
    }

    @Test(arguments: [(1, true), (2, true), (3, false)])
    func `each certificate on the way counts`(demand: Int, isRequired: Bool) throws {
        let constraints = CertificateExtension("policyConstraints", "critical,requireExplicitPolicy:\(demand)")
        let top = try CertificateAuthority()
        let upper = try top.issueIntermediate(AuthorityRequest(commonName: "Upper", extensions: [constraints]))
        let lower = try upper.issueIntermediate(AuthorityRequest(commonName: "Lower"))
        let path = try [lower.issue().certificate()] + [lower, upper, top].map { try $0.certificate() }
        #expect(ExplicitPolicy.isRequired(in: path) == isRequired)
    }
}
