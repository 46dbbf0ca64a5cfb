// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernTesting

@Suite struct ReceivedRequestFramingTests {
    private func request(_ head: String) -> ReceivedRequest {
        ReceivedRequest(connection: 1, index: 0, head: Array(head.utf8))
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\n\r\n", false), ("GET / HTTP/1.1\r\nHost: localhost\r\nCookie: abcdefgh\r\n\r\n", false),
        ("POST / HTTP/1.1\r\nHost: a\r\ncOntent-length: 1\r\n\r\n", true),
        ("POST / HTTP/1.1\r\ntransfer-Encoding: chunked\r\n\r\n", true), ("", false), ("\n", false),
    ])
    func `knows which heads announce no body`(head: String, expected: Bool) {
        #expect(request(head).announcesBody == expected)
    }
}
