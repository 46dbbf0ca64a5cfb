// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import TernIO

@Suite struct ResolveErrorTests {
    @Test(
        arguments: [
            (EAI_NONAME, .unknownHost), (-5, .unknownHost), (-9, .unknownHost), (EAI_AGAIN, .temporaryFailure),
            (EAI_FAIL, .failure), (EAI_SYSTEM, .failure), (EAI_MEMORY, .failure), (12345, .failure),
        ] as [(Int32, ResolveError.Reason)])
    func `the resolver's codes fall into three reasons`(code: Int32, reason: ResolveError.Reason) {
        #expect(ResolveError(host: "a.test", code: code).reason == reason)
    }

    @Test func `the description names the host and uses the resolver's words`() {
        #expect(ResolveError(host: "a.test", code: EAI_NONAME).description == "a.test: Name or service not known")
        #expect(ResolveError(host: "a.test", code: 12345).description == "a.test: Unknown error")
    }
}
