// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernCLI

@Suite struct CommandFailureTests {
    @Test func `a failure is told with curl's number, whatever URL was requested`() {
        let failure = CommandFailure(.authorities, "--cacert: cannot read x")
        #expect(failure.line == "tern: (77) --cacert: cannot read x")
        #expect(failure.message(asking: "http://a.test/") == "--cacert: cannot read x")
        #expect(ExitStatus(of: failure) == .authorities)
    }
}
