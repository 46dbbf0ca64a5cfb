// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Tern

@Suite struct PropertyListLimitTests {
    @Test func `the number of objects grows with the length, and a short list has room`() {
        #expect(PropertyListLimit.objects(in: 0) == 1_024)
        #expect(PropertyListLimit.objects(in: 1_000) == 9_024)
    }

    @Test func `a description names the limit`() {
        #expect("\(PropertyListLimit.tooDeep)".contains("512"))
    }
}
