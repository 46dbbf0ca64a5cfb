// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Synchronization
import TernHTTP1
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct AttemptFormTests {
    /// Signs with the number of the call, and what else is sent.
    private final class Numbering: RequestSigner {
        private let count = Atomic(0)

        func sign(_ request: inout URLRequest) {
            let number = count.wrappingAdd(1, ordering: .relaxed).newValue
            let login = request.headers["Authorization"] == nil ? "" : " with a login"
            request.headers.replace(with: HeaderField(name: "Signature", value: "\(number)\(login)"))
        }
    }

    private let defaults = TaskDefaults(SessionConfiguration(), policies: HopPolicies([]))

    private func login(_ request: URLRequest) throws -> PasswordLogin {
        let challenge = HTTPChallenge.challenges(in: [Array("Digest realm=r, nonce=n, qop=auth".utf8)])
        return try #require(
            PasswordLogin(PasswordCredential(user: "u", password: "p"), for: request, answering: challenge))
    }

    @Test func `each attempt is signed anew, and the hop keeps its request`() throws {
        let hop = Hop(request: try URLRequest(string: "http://a.test/"))
        let (observers, login) = (Numbering(), try login(hop.request))
        let route = try defaults.routes.route(for: hop.request)
        for number in 1...3 {
            let form = try #require(defaults.form(of: hop, signedBy: login, observers, along: route, isFirst: true))
            let fields = form.hop.request.headers
            #expect(fields["Signature"] == "\(number) with a login")
            #expect(fields["Authorization"]?.contains("nc=0000000\(number)") == true)
        }
        #expect(hop.request.headers.isEmpty)
        let form = defaults.form(of: hop, signedBy: nil, observers, along: route, isFirst: true)
        #expect(form?.hop.request.headers["Signature"] == "4")
    }

    @Test func `a hop without anything to sign is sent as it is`() throws {
        let hop = Hop(request: try URLRequest(string: "http://a.test/"))
        let route = try defaults.routes.route(for: hop.request)
        #expect(defaults.form(of: hop, signedBy: nil, nil, along: route, isFirst: true) == nil)
    }

    @Test func `a login signs requests to its origin alone`() throws {
        let login = try login(URLRequest(string: "http://a.test/"))
        for url in ["http://b.test/", "https://a.test/", "http://a.test:81/"] {
            let hop = Hop(request: try URLRequest(string: url))
            let form = AttemptForm(hop, signers: [login])
            #expect(form.hop.request.headers.isEmpty, "\(url)")
        }
    }
}
