// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernHTTP1

@Suite struct RequestMethodTests {
    @Test func `methods that frame or address a message are known`() {
        #expect(RequestMethod("HEAD") == .head)
        #expect(RequestMethod("CONNECT") == .connect)
        #expect(RequestMethod("OPTIONS") == .options)
        #expect(RequestMethod("TRACE") == .trace)
        for name in ["POST", "PUT", "PATCH"] { #expect(RequestMethod(name) == .usuallyWithContent) }
        for name in ["GET", "DELETE", "PURGE"] { #expect(RequestMethod(name) == .other) }
    }

    @Test func `a method is case-sensitive`() { #expect(RequestMethod("head") == .other) }
}
