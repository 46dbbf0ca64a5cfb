// SPDX-License-Identifier: Apache-2.0
import TernSystem
import Testing

@testable import TernEngine

@Suite struct PublicSuffixesTests {
    @Test func `the system's list is loaded`() {
        #expect(PublicSuffixList.system != nil)
    }

    @Test(arguments: ["com", "co.uk", "github.io", "localhost", "test", "ck", "any.ck"])
    func `public suffixes are known`(domain: String) {
        #expect(PublicSuffixes.contains(domain))
    }

    @Test(arguments: ["example.com", "example.co.uk", "me.github.io", "a.test", "www.ck", "t.co"])
    func `a registered domain is not a public suffix`(domain: String) {
        #expect(!PublicSuffixes.contains(domain))
    }

    @Test(arguments: [
        ("www.example.com", "example.com"), ("example.com", "example.com"), ("a.b.example.co.uk", "example.co.uk"),
        ("co.uk", "co.uk"), ("localhost", "localhost"), ("127.0.0.1", "127.0.0.1"), ("::1", "::1"),
        ("a.b.localhost", "b.localhost"),
    ])
    func `a registrable domain is a suffix and one label more`(host: String, domain: String) {
        #expect(PublicSuffixes.registrableDomain(of: host) == domain)
    }

    @Test func `without a list the form of a domain decides`() {
        #expect(["com", "co.uk", "com.au"].allSatisfy(PublicSuffixes.isProbable))
        #expect(!["example.com", "example.de", "a.co.uk"].contains(where: PublicSuffixes.isProbable))
    }
}
