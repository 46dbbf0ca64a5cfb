// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernHTTP1

@Suite struct HTTPVersionTests {
    @Test func `a version is written as in a status line`() {
        #expect(HTTPVersion(major: 1, minor: 1).description == "HTTP/1.1")
        #expect(HTTPVersion(minorDigit: 0) == HTTPVersion(major: 1, minor: 0))
    }

    @Test func `a number has one digit`() { #expect(HTTPVersion(major: 12, minor: 10).description == "HTTP/2.0") }
}
