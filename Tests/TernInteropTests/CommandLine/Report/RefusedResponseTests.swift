// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernCLI

@Suite struct RefusedResponseTests {
    @Test func `the URL belongs to a status, and to no other refusal`() {
        #expect(
            RefusedResponse.status(404).message(asking: "http://a.test/") == "the server answered 404 to http://a.test/"
        )
        #expect(RefusedResponse.status(404).message(asking: nil) == "the server answered 404")
        #expect(RefusedResponse.transient(status: 503).message(asking: "http://a.test/") == "the server answered 503")
    }

    @Test func `a coding of the server's makes no long message`() {
        #expect(RefusedResponse.unknownCoding(String(repeating: "x", count: 5000)).description.utf8.count < 200)
    }

    @Test func `only the size is found out in the body`() {
        #expect(RefusedResponse.tooLarge(limit: 1).phase == "body")
        for refusal in [
            RefusedResponse.status(404), .ambiguousLocation, .redirect(scheme: "http"), .unknownCoding("x"),
        ] {
            #expect(refusal.phase == "head")
        }
    }
}
