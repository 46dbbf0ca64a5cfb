// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import TestPrograms
import Testing

/// The line that a failed request leaves on standard error, and how the command ends.
@Suite struct FailureReportTests {
    @Test func `a refused connection names the address`() async throws {
        let port = try LoopbackPort.free().number
        let result = try await TernTool.run("http://127.0.0.1:\(port)/")
        #expect(result.status == 7)
        #expect(result.errors == "tern: (7) cannot connect to 127.0.0.1:\(port): connection refused\n")
    }

    @Test func `a host without an address is named`() async throws {
        let result = try await TernTool.run("http://nowhere.invalid/")
        #expect(result.status == 6)
        #expect(result.errors.hasPrefix("tern: (6) cannot resolve nowhere.invalid: "), "\(result.errors)")
    }

    @Test func `a time limit says how long it was`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.hold] }
        let result = try await TernTool.run("-m", "0.25", origin.url("/"))
        #expect(result.status == 28)
        #expect(result.errors == "tern: (28) the time limit of 0.25 s passed (--max-time)\n")
    }

    @Test func `a body that ends early says how much is missing`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"), .close]
        }
        let result = try await TernTool.run(origin.url("/"), "-w", " %{exitcode} %{errormsg}")
        let message = "the server closed the connection with 5 of 10 bytes missing"
        #expect(result.status == 18)
        #expect(result.errors == "tern: (18) \(message)\n")
        #expect(result.text == "hello 18 \(message)")
    }

    @Test func `too many redirects say which limit it was`() async throws {
        let origin = try ScriptedOrigin { _, request in
            [.respond(status: 302, fields: [("Location", request.target + "x")])]
        }
        let result = try await TernTool.run("-L", "--max-redirs", "2", origin.url("/"))
        #expect(result.status == 47)
        #expect(
            result.errors == "tern: (47) more than 2 redirects (--max-redirs), the last one from \(origin.url("/xx"))\n"
        )
    }

    @Test func `-f names the URL that was asked last`() async throws {
        let origin = try ScriptedOrigin { _, request in
            request.target == "/" ? [.respond(status: 302, fields: [("Location", "/x")])] : [.respond(status: 404)]
        }
        let result = try await TernTool.run("-fL", origin.url("/"))
        #expect(result.status == 22)
        #expect(result.errors == "tern: (22) the server answered 404 to \(origin.url("/x"))\n")
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel", 18), ("", 52), ("SSH-2.0-x\r\n", 1),
        ("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", 8),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 56),
    ])
    func `a broken response ends as it ends curl`(response: String, status: Int32) async throws {
        let origin = try ScriptedOrigin { _, _ in [.send(response), .close] }
        let curl = try await Command.run(["curl", "-s", origin.url("/")])
        let tern = try await TernTool.run("-s", origin.url("/"))
        #expect(curl.status == status && tern.status == status, "\(curl.status) \(tern.status)")
    }

    @Test(arguments: [
        ("get http://a:b/", 3), ("get ftp://a/", 1), ("get --cacert /nowhere https://localhost/", 77),
        ("get --cert /nowhere https://localhost/", 58), ("request -d @/nowhere http://localhost/", 26),
        ("get -o /nowhere/x http://localhost/", 23), ("download -o /dev/fd/99 http://localhost/", 23),
        ("upload /nowhere http://localhost/", 26), ("get --no-such-option http://localhost/", 2),
        ("get -o /tmp/same -D /tmp/../tmp/same http://localhost/", 2), ("bench ftp://a/", 2),
    ])
    func `what cannot begin ends as in curl`(arguments: String, status: Int32) async throws {
        let result = try await TernTool.run(arguments.split(separator: " ").map(String.init))
        #expect(result.status == status, "\(result.errors)")
        #expect(result.errors.hasPrefix("tern: (\(status)) "), "\(result.errors)")
    }

    @Test func `a Retry-After that is too late is not waited for`() async throws {
        let origin = try ScriptedOrigin { _, _ in
            [.respond(status: 503, fields: [("Retry-After", "99999999999999999999")], body: "no")]
        }
        for options in [[], ["--retry-max-time", "5"], ["-m", "5"]] {
            let result = try await TernTool.run(["--retry", "3", origin.url("/")] + options)
            #expect(result.text == "no" && result.status == 0)
        }
        #expect(origin.requests.count == 3)
    }
}
