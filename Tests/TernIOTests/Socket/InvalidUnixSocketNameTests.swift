// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernIO

@Suite struct InvalidUnixSocketNameTests {
    @Test func `the description names the rule`() {
        #expect(InvalidUnixSocketName.empty.description == "the name is empty")
        #expect(InvalidUnixSocketName.nulInPath.description == "the path contains a NUL")
        #expect(
            InvalidUnixSocketName.tooLong(bytes: 120, limit: 108).description
                == "the name has 120 bytes, the maximum is 108")
    }
}
