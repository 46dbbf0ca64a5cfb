// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernHTTP1

@Suite struct StringASCIITests {
    @Test func `only ASCII letters change in lower case`() {
        #expect("Content-TYPE".asciiLowercased == "content-type")
        #expect("ÄÖ\u{212A}".asciiLowercased == "ÄÖ\u{212A}")
        #expect("a-1".asciiLowercased == "a-1")
    }
}
