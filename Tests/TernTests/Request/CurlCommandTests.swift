// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import TestPrograms
import TestProofs
import Testing

@testable import Tern

@Suite struct CurlCommandTests {
    @Test(.proves("4.17a")) func `a command says what the request says`() throws {
        var request = try URLRequest(url: "http://x/p?q=1", method: .post, headers: ["X-A": "b"])
        request.httpBody = Data(#"{"a":"b"}"#.utf8)
        let command = CurlCommand(request, defaultHeaders: ["Accept": "*/*"])
        #expect(
            command?.description == """
                $ curl -v \\
                \t-X POST \\
                \t-H "Accept: */*" \\
                \t-H "X-A: b" \\
                \t-d "{\\"a\\":\\"b\\"}" \\
                \t"http://x/p?q=1"
                """)
    }

    @Test(.proves("4.17a")) func `GET goes without saying, and the request's fields replace the session's`() throws {
        let request = try URLRequest(url: "http://x/", method: .get, headers: ["accept": "text/html"])
        let command = CurlCommand(request, defaultHeaders: ["Accept": "*/*"])
        #expect(command?.description == "$ curl -v \\\n\t-H \"accept: text/html\" \\\n\t\"http://x/\"")
    }

    @Test func `cookies of the storage are named without their values`() throws {
        let storage = HTTPCookieStorage()
        for name in ["a", "b"] {
            storage.setCookie(try #require(HTTPCookie(name: name, value: "c2VjcmV0", domain: "x.test")))
        }
        var request = try URLRequest(url: "http://x.test/", method: .get)
        var configuration = SessionConfiguration()
        configuration.httpCookieStorage = storage
        let text = {
            CurlCommand(request, defaultHeaders: [:], cookies: CookieUse(of: configuration))?.description
        }
        #expect(text() == "$ curl -v \\\n\t-b \"a=<redacted>; b=<redacted>\" \\\n\t\"http://x.test/\"")
        request.headers["Cookie"] = "c=c2VjcmV0"
        #expect(text()?.contains("-b \"a=<redacted>; b=<redacted>\" \\\n\t-H \"Cookie: <redacted>\"") == true)
        configuration.httpShouldSetCookies = false
        #expect(text()?.contains("-b") == false)
        configuration.httpShouldSetCookies = true
        request.httpShouldHandleCookies = false
        #expect(text()?.contains("-b") == false)
    }

    @Test func `credentials are left out`() throws {
        let headers = ["Authorization": "Basic c2VjcmV0", "cookie": "id=c2VjcmV0", "Proxy-Authorization": "c2VjcmV0"]
        let request = try URLRequest(url: "http://joe:c2VjcmV0@x/", method: .get, headers: headers)
        let text = try #require(CurlCommand(request, defaultHeaders: ["Cookie": "c2VjcmV0"])).description
        #expect(!text.contains("c2VjcmV0"))
        #expect(text.contains(#""Authorization: <redacted>""#))
        #expect(text.hasSuffix(#""http://x/""#))
    }

    @Test func `what the request or the session marks as sensitive is left out`() throws {
        let headers = ["X-Own": "c2VjcmV0", "X-All": "c2VjcmV0"]
        var request = try URLRequest(url: "http://x/", method: .get, headers: headers)
        request.sensitiveFields = ["x-own"]
        let text = try #require(
            CurlCommand(request, defaultHeaders: ["x-all-2": "c2VjcmV0"], sensitiveFields: ["X-ALL", "X-All-2"])
        ).description
        #expect(!text.contains("c2VjcmV0"))
        #expect(text.contains(#""X-Own: <redacted>""#))
    }

    @Test func `a manager's session-wide marks count in the debug description of its requests`() throws {
        var configuration = SessionConfiguration.default
        configuration.sensitiveFields = ["X-Api-Key"]
        let manager = SessionManager(configuration: configuration)
        manager.startRequestsImmediately = false
        let request = manager.request("http://127.0.0.1:1/", headers: ["x-api-key": "c2VjcmV0"])
        #expect(!request.debugDescription.contains("c2VjcmV0"))
        #expect(request.debugDescription.contains("<redacted>"))
    }

    @Test func `nothing in a request runs in the shell it is pasted into`() throws {
        let request = try URLRequest(url: "http://x/", method: .get, headers: ["X": #"$(id) `id` \ ""#])
        let text = try #require(CurlCommand(request, defaultHeaders: [:])).description
        #expect(text.contains(#"-H "X: \$(id) \`id\` \\ \"""#))
    }

    @Test(.proves("4.17d")) func `a shell hands curl what the request says, whatever it says`() async throws {
        let nasty = "\"\u{301};id; $\u{301}(id) `\u{301}id` \\\u{301}"
        var request = try URLRequest(url: "http://x/", method: .get, headers: ["X": nasty])
        request.httpMethod = "$(id);id"
        request.httpBody = Data("@/etc/passwd".utf8)
        let command = try #require(CurlCommand(request, defaultHeaders: [:])).description
        let script = "curl() { printf '%s\\n' \"$@\"; }\n" + command.dropFirst(2)
        let words = try await Command.run(["sh", "-c", script]).output
        #expect(
            words == """
                -v
                -X
                $(id);id
                -H
                X: \(nasty)
                --data-raw
                @/etc/passwd
                http://x/

                """)
    }

    @Test func `a request without a URL has no command`() throws {
        var request = try URLRequest(url: "http://x/", method: .get)
        request.url = nil
        #expect(CurlCommand(request, defaultHeaders: [:]) == nil)
    }
}
