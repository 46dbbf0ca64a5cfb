// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

@testable import TernTLS

struct SubjectAlternativeNameTests {
    @Test func `each kind is read as its own, and kinds that TLS does not use by their tag`() throws {
        let value = "DNS:a.test,IP:10.0.0.1,URI:https://a.test/,email:b@a.test,RID:1.2.3"
        let leaf = try CertificateAuthority().issue(
            LeafRequest(dnsNames: [], extensions: [CertificateExtension("subjectAltName", value)]))
        #expect(
            try leaf.certificate().subjectAlternativeNames == [
                .dns("a.test"), .ip([10, 0, 0, 1]), .uri("https://a.test/"), .email("b@a.test"), .other(8),
            ])
    }

    @Test(arguments: [
        (SubjectAlternativeName.dns("*.a.test"), "DNS:*.a.test"), (.ip([127, 0, 0, 1]), "IP:127.0.0.1"),
        (.ip([UInt8](repeating: 0, count: 15) + [1]), "IP:0:0:0:0:0:0:0:1"), (.ip([]), "IP:"),
        (.ip([1, 2, 3]), "IP:102:3"), (.ip([1, 2, 3, 4, 5]), "IP:102:304:5"), (.email("b@a.test"), "email:b@a.test"),
        (.uri("x:y"), "URI:x:y"), (.other(8), "other:8"),
    ])
    func `a name is described by its kind, and a broken address without harm`(
        name: SubjectAlternativeName, text: String
    ) {
        #expect(name.description == text)
    }

    @Test func `bytes that are not visible ASCII are escaped`() throws {
        let leaf = try CertificateAuthority().issue(LeafRequest(dnsNames: ["a\u{1b}b c\u{e9}"]))
        #expect(try leaf.certificate().subjectAlternativeNames == [.dns(#"a\1bb\20c\c3\a9"#)])
    }
}
