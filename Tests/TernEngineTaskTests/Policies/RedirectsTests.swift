// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite struct RedirectsTests {
    private func decision(_ status: Int, _ policy: RedirectPolicy, own: RedirectPolicy? = nil) throws -> HopDecision {
        var request = try URLRequest(string: "https://a.test/")
        request.redirectPolicy = own
        var history = TaskHistory(request)
        let head = try ResponseHead(status: status, fields: ["Location": "http://b.test/"])
        return Redirects(policy: policy, sensitiveFields: [], cookies: CookieUse(of: SessionConfiguration())).decide(
            on: head, &history)
    }

    private func word(_ decision: HopDecision) -> String {
        switch decision {
        case .pass: "pass"
        case .ask(.redirect): "ask"
        case .fail(.transfer(.redirect(.insecure))): "insecure"
        default: "other"
        }
    }

    @Test func `the delegate is asked about a redirect that the policy allows`() throws {
        #expect(word(try decision(302, .follow(allowsDowngrade: true))) == "ask")
        #expect(word(try decision(302, .follow())) == "insecure")
        #expect(word(try decision(302, .never)) == "pass")
        #expect(word(try decision(404, .follow())) == "pass")
    }

    @Test func `a request's own policy comes before the session's`() throws {
        #expect(word(try decision(302, .never, own: .follow(allowsDowngrade: true))) == "ask")
        #expect(word(try decision(302, .follow(allowsDowngrade: true), own: .never)) == "pass")
    }
}
