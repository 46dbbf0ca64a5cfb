// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Foundation
import Testing

@testable import TernCLI

@Suite struct RequestedURLTests {
    @Test(
        "an invalid URL is reported with its reason",
        arguments: [
            ("", "the URL is empty"),
            ("127.0.0.1:8080", #""127.0.0.1:8080": the URL has no scheme; did you mean http://127.0.0.1:8080?"#),
            (
                "localhost:1/x",
                #""localhost:1/x": the scheme "localhost" is not http or https; did you mean http://localhost:1/x?"#
            ),
            ("http:/a.test", #""http:/a.test": the URL has no host; did you mean http://a.test?"#),
            ("http://a b/", #""http://a b/": "a b" is not a host name: it has a space in it"#),
            ("http://[::1/", #""http://[::1/": "[::1" is not a host name: a bracket is not closed"#),
            ("http://a:b/", #""http://a:b/": "b" is not a port from 1 to 65535"#),
            ("ftp://a/", #""ftp://a/": the scheme "ftp" is not http or https"#),
            ("/etc/passwd", #""/etc/passwd": the URL has no scheme"#), ("http://", #""http://": the URL has no host"#),
        ])
    func refused(text: String, message: String) {
        let error = #expect(throws: CommandFailure.self) { try RequestedURL(text) }
        #expect(error?.message == message)
    }

    @Test(
        "a password is refused and not shown",
        arguments: [
            "http://user:hunter2@a.test/", "user:hunter2@a.test", "ftp://hunter2@a.test/",
            "http://a.test\\@hunter2@b.test:x/",
        ])
    func credentials(text: String) {
        let error = #expect(throws: CommandFailure.self) { try RequestedURL(text) }
        #expect(error?.message.contains("hunter2") == false)
    }

    @Test func `what is a URL is requested as it is`() throws {
        #expect(try RequestedURL("HTTP://A.test/x?y=@z").url.absoluteString == "HTTP://A.test/x?y=@z")
        #expect(try RequestedURL(secure: "https://a.test/").isSecure)
        #expect(throws: ValidationError.self) { try RequestedURL(secure: "http://a.test/") }
    }
}
