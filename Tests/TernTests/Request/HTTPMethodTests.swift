// SPDX-License-Identifier: Apache-2.0
import Tern
import TestProofs
import Testing

@Suite struct HTTPMethodTests {
    @Test(.proves("9.3a")) func `the names are those of RFC 9110`() {
        let methods: [HTTPMethod] = [.options, .get, .head, .post, .put, .patch, .delete, .trace, .connect]
        #expect(
            methods.map(\.rawValue) == [
                "OPTIONS", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT",
            ])
    }

    @Test func `case matters`() {
        #expect(HTTPMethod(rawValue: "get") != .get)
        #expect(HTTPMethod(rawValue: "GET") == .get)
    }
}
