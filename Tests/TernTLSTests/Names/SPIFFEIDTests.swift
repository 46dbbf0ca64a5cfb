// SPDX-License-Identifier: Apache-2.0
import TernTLS
import Testing

/// The grammar of SPIFFE-ID §2.
struct SPIFFEIDTests {
    private func error(_ text: String) -> SPIFFEIDError? {
        do throws(SPIFFEIDError) {
            _ = try SPIFFEID(text)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        ("spiffe://example.org", "example.org", ""), ("spiffe://a", "a", ""), ("spiffe://1.2.3.4/x", "1.2.3.4", "/x"),
        ("spiffe://td_1-x.test/Ns/prod/sa/web-1_a.b", "td_1-x.test", "/Ns/prod/sa/web-1_a.b"),
        ("spiffe://a/.../..a/.b", "a", "/.../..a/.b"), ("spiffe://-._/-._", "-._", "/-._"),
    ])
    func `a name has a trust domain and a path, and is written as it was read`(
        text: String, domain: String, path: String
    ) throws {
        let id = try SPIFFEID(text)
        #expect(id.trustDomain.name == domain && id.path == path && "\(id)" == text)
        #expect(try SPIFFEID.TrustDomain(domain) == id.trustDomain)
    }

    @Test(arguments: [
        ("", SPIFFEIDError.scheme), ("https://example.org/x", .scheme), ("Spiffe://example.org", .scheme),
        ("spiffe:/example.org", .scheme), ("spiffe:example.org", .scheme), (" spiffe://a", .scheme),
        ("spiffe://", .missingTrustDomain), ("spiffe:///path", .missingTrustDomain),
        ("spiffe://Example.org/x", .trustDomainCharacter("Example.org")),
        ("spiffe://*.example.org/x", .trustDomainCharacter("*.example.org")),
        ("spiffe://exämple.org", .trustDomainCharacter("exämple.org")),
        ("spiffe://a b", .trustDomainCharacter("a b")), ("spiffe://[::1]/x", .port),
        ("spiffe://a:80/x", .port), ("spiffe://a:/x", .port), ("spiffe://me@a/x", .userInfo),
        ("spiffe://me:b@a/x", .userInfo), ("spiffe://a/x?y", .query), ("spiffe://a?", .query),
        ("spiffe://a/x#y", .fragment), ("spiffe://a/%61", .percentEncoding), ("spiffe://%61/x", .percentEncoding),
        ("spiffe://a/", .trailingSlash), ("spiffe://a/x/", .trailingSlash), ("spiffe://a//", .trailingSlash),
        ("spiffe://a//x", .emptySegment), ("spiffe://a/x//y", .emptySegment), ("spiffe://a/.", .dotSegment),
        ("spiffe://a/../x", .dotSegment), ("spiffe://a/x/..", .dotSegment), ("spiffe://a/x y", .pathCharacter("x y")),
        ("spiffe://a/x:y", .pathCharacter("x:y")), ("spiffe://a/x@y", .pathCharacter("x@y")),
        ("spiffe://a/*", .pathCharacter("*")), ("spiffe://a/x\\00", .pathCharacter("x\\00")),
        ("spiffe://a/x\u{301}", .pathCharacter("x\u{301}")),
    ])
    func `another form is refused, and the error names the rule`(text: String, expected: SPIFFEIDError) {
        #expect(error(text) == expected)
        #expect(error(text)?.description.isEmpty == false)
    }

    @Test func `a combining mark after the scheme is a byte of the trust domain`() {
        #expect(
            error("spiffe://\u{301}a") == .scheme || error("spiffe://\u{301}a") == .trustDomainCharacter("\u{301}a"))
    }

    @Test func `the lengths end at 255 and 2048 bytes`() {
        let (longest, longer) = (String(repeating: "a", count: 255), String(repeating: "a", count: 256))
        #expect(error("spiffe://" + longest) == nil && error("spiffe://" + longer) == .longTrustDomain(256))
        let path = "spiffe://a/" + String(repeating: "b", count: 2037)
        #expect(path.utf8.count == 2048 && error(path) == nil && error(path + "b") == .tooLong(2049))
    }

    @Test func `a name is within another by whole segments of one trust domain`() throws {
        let id = try SPIFFEID("spiffe://a/b/c")
        for (other, expected) in [
            ("spiffe://a", true), ("spiffe://a/b", true), ("spiffe://a/b/c", true), ("spiffe://a/b/c/d", false),
            ("spiffe://a/b/cc", false), ("spiffe://b", false), ("spiffe://a/B", false),
        ] {
            #expect(try id.isWithin(SPIFFEID(other)) == expected, "\(other)")
        }
        #expect(try !SPIFFEID("spiffe://a/bc").isWithin(SPIFFEID("spiffe://a/b")))
    }
}
