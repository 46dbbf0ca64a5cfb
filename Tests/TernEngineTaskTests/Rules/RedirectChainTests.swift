// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernEngine

@Suite struct RedirectChainTests {
    private func record(_ chain: inout RedirectChain, _ url: String) throws -> Bool {
        let request = try URLRequest(string: url)
        return chain.record(request, to: try request.destination.get())
    }

    @Test func `the same request is a loop, and one with other fields is not`() throws {
        var chain = RedirectChain()
        #expect(try record(&chain, "http://a.test/1") == true)
        #expect(try record(&chain, "http://a.test/2") == true)
        #expect(try record(&chain, "http://A.test:80/1#fragment") == false)
        var other = try URLRequest(string: "http://a.test/1")
        other.setValue("x", forHTTPHeaderField: "Cookie")
        #expect(chain.record(other, to: try other.destination.get()) == true)
    }

    @Test func `what lies too far back is forgotten`() throws {
        var chain = RedirectChain()
        for number in 0...RedirectPolicy.maximumRememberedHops {
            #expect(try record(&chain, "http://a.test/\(number)") == true)
        }
        #expect(try record(&chain, "http://a.test/1") == false)
        #expect(try record(&chain, "http://a.test/0") == true)
    }

    @Test func `credentials stay behind for good once the first origin is left`() throws {
        var chain = RedirectChain()
        let (home, away) = (
            try URLRequest(string: "http://a.test/").destination.get().origin,
            try URLRequest(string: "https://a.test/").destination.get().origin
        )
        chain.visit(home)
        chain.follow(to: home)
        #expect(chain.mayCarryCredentials)
        chain.follow(to: away)
        #expect(!chain.mayCarryCredentials)
        chain.follow(to: home)
        #expect(!chain.mayCarryCredentials)
        #expect(chain.count == 3)
    }

    @Test func `a chain is a value`() throws {
        var chain = RedirectChain()
        #expect(try record(&chain, "http://a.test/1") == true)
        var copy = chain
        #expect(try record(&copy, "http://a.test/2") == true)
        #expect(try record(&chain, "http://a.test/2") == true)
    }
}
