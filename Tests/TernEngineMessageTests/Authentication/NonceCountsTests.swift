// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import Testing

@testable import TernEngine

@Suite struct NonceCountsTests {
    @Test func `a nonce counts on when it is named again, by its own server`() {
        let counts = NonceCounts()
        let (here, there) = (
            HTTPOrigin(scheme: .http, host: "a.test", port: 80), HTTPOrigin(scheme: .http, host: "b.test", port: 80)
        )
        #expect(counts.count(of: [1], from: here).next() == 1)
        #expect(counts.count(of: [1], from: here).next() == 2)
        #expect(counts.count(of: [2], from: here).next() == 1)
        #expect(counts.count(of: [1], from: there).next() == 1)
        #expect(counts.count(of: nil, from: here).next() == 1 && counts.count(of: nil, from: here).next() == 1)
    }

    @Test func `a server that names many nonces takes the memory of a few, and a count in use goes on`() {
        let (counts, origin) = (NonceCounts(), HTTPOrigin(scheme: .http, host: "a.test", port: 80))
        let first = counts.count(of: [0, 0], from: origin)
        #expect(first.next() == 1)
        for number in 0..<1000 { _ = counts.count(of: [1, UInt8(number % 256), UInt8(number / 256)], from: origin) }
        #expect(counts.count(of: [0, 0], from: origin).next() == 1)
        #expect(first.next() == 2)
    }

    @Test func `a proxy's nonce counts on when the proxy names it again`() throws {
        let logins = ProxyLogins()
        var proxy = Proxy(.http, host: "p.test")
        proxy.credential = PasswordCredential(user: "u", password: "p", schemes: .digest)
        let head = try ResponseHead(
            status: 407, fields: ["Proxy-Authenticate": "Digest realm=\"r\", nonce=\"n\", qop=\"auth\""])
        for number in 1...2 {
            #expect(logins.answers(head, of: proxy, after: nil, isFirst: true))
            let field = logins.login(to: proxy)?.field("Proxy-Authorization", for: .init(method: "GET", target: "/"))
            #expect(field?.value.contains("nc=0000000\(number)") == true)
        }
    }
}
