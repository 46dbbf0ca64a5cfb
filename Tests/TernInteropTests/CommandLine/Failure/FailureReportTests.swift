// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import TernEngine
import TernTLS
import TernTesting
import TestPrograms
import Testing

@testable import TernCLI
@testable import TernHTTP1
@testable import TernIO

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
        ("bench ftp://a/", 2),
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

@Suite struct ExitStatusErrorTests {
    @Test func `each failure ends with curl's number`() {
        let file = SystemCallError(.open, code: ENOENT)
        let reset = SystemCallError(.recv, code: ECONNRESET)
        let pipe = SystemCallError(.send, code: EPIPE)
        let origin = HTTPOrigin(scheme: .https, host: "a.test", port: 443)
        let malformed: [(HTTPProtocolError.Reason, Int32)] = [
            (.statusLine(.notHTTP), 1), (.statusLine(.status), 8), (.field(.name), 8), (.framing(.length), 8),
            (.framing(.transferCoding), 61), (.chunk(.size), 56), (.limit(.fieldCount), 56),
            (.truncated(.content(missing: 3)), 18), (.truncated(.beforeResponse), 52), (.unsolicited(.upgrade), 8),
        ]
        let cases: [(SessionError.Reason, SessionError.Phase, Int32)] = [
            (.request(.invalid(.malformedURL("x"))), .request, 3),
            (.request(.invalid(.unsupportedScheme("ftp"))), .request, 1),
            (.request(.body(.unreadable(file, path: "/a"))), .head, 26),
            (.request(.body(.alreadyUsed)), .head, 65),
            (.connecting(.queueFull(limit: 1)), .pool, 1),
            (.connecting(.unresolved(ResolveError(host: "a.test", code: EAI_NONAME))), .resolve, 6),
            (.connecting(.unreachable(ConnectError(attempts: []))), .connect, 7),
            (.connecting(.socketOption(SocketOptionError(.interface, "x", file))), .connect, 45),
            (.connecting(.insecure(TLSError(.handshakeFailed))), .tls, 35),
            (.transfer(.tls(TLSError(.truncated))), .body, 56),
            (.connecting(.insecure(TLSError(.noPeerCertificate))), .tls, 60),
            (.connecting(.insecure(TLSError(.invalidConfiguration(.identity)))), .tls, 58),
            (.transfer(.connectionLost(nil)), .head, 52), (.transfer(.connectionLost(nil)), .body, 18),
            (.transfer(.connectionLost(nil)), .tls, 35), (.transfer(.connectionLost(reset)), .head, 56),
            (.transfer(.connectionLost(pipe)), .head, 55), (.transfer(.undecodable(.checksum)), .body, 61),
            (.transfer(.bodyTooLarge(limit: 1)), .body, 63), (.transfer(.outOfMemory), .body, 63),
            (.transfer(.memoryQuotaExceeded(limit: 1)), .body, 63),
            (.transfer(.redirect(.tooMany(limit: 1))), .head, 47), (.transfer(.redirect(.loop(origin))), .head, 47),
            (.transfer(.redirect(.ambiguousLocation)), .head, 8), (.transfer(.redirect(.insecure(origin))), .head, 1),
            (.transfer(.redirect(.malformedLocation)), .head, 3),
            (.transfer(.redirect(.bodyNotReplayable)), .head, 65),
            (.transfer(.unreadable(.notEvents(status: 404, contentType: nil))), .head, 22),
            (.transfer(.upgradeRefused(status: 404)), .head, 22), (.transfer(.upgradeRefused(status: 302)), .head, 8),
            (.transfer(.webSocket(.handshake(.accept))), .head, 8),
            (.transfer(.webSocket(.violation(.mask))), .body, 8),
            (.transfer(.webSocket(.noPong(within: .seconds(20)))), .body, 28),
            (.transfer(.webSocket(.messageTooLarge(limit: 1))), .body, 63),
            (.transfer(.webSocket(.closed(WebSocketClose(.internalServerError)))), .body, 56),
            (.download(.file(file, path: "x")), .body, 23), (.download(.exists(path: "x")), .head, 23),
            (.download(.wrongPart(.missing)), .head, 33), (.download(.incomplete(received: 1, of: 2)), .body, 18),
            (.download(.tooLong(limit: 1)), .body, 63),
            (.download(.digestMismatch(.sha256, expected: [1], actual: [2])), .body, 1),
            (.timedOut(.total), .head, 28), (.cancelled, .head, 1), (.system(file), .connect, 7),
        ]
        for (reason, phase, number) in cases {
            #expect(ExitStatus(of: SessionError(reason, phase: phase)).rawValue == number, "\(reason)")
        }
        for (reason, number) in malformed {
            let error = SessionError(.transfer(.malformedResponse(HTTPProtocolError(reason))), phase: .head)
            #expect(ExitStatus(of: error).rawValue == number, "\(reason)")
        }
    }

    @Test func `failures outside the engine have curl's numbers, too`() {
        #expect(ExitStatus(of: OutputError("x", .isSocket)) == .unwritable)
        #expect(ExitStatus(of: StandardStreams.WriteError(number: EPIPE)) == .unwritable)
        #expect(ExitStatus(of: InputError(path: "x", number: ENOENT)) == .unreadable)
        #expect(ExitStatus(of: RefusedResponse.status(404)) == .refusedStatus)
        #expect(ExitStatus(of: RefusedResponse.tooLarge(limit: 1)) == .tooLarge)
        #expect(ExitStatus(of: CommandFailure(.authorities, "x")) == .authorities)
        #expect(ExitStatus(of: RefusedResponse.noPart(status: 200)) == .noSuchRange)
    }

    @Test func `a certificate is refused with curl's number`() {
        #expect(ExitStatus.status(of: .untrustedRoot) == .peerCertificate)
        #expect(ExitStatus.status(of: .expired(notAfter: nil)) == .peerCertificate)
        #expect(ExitStatus.status(of: .keyNotPinned(pins: [])) == .pin)
        #expect(ExitStatus.status(of: .certificateNotPinned(pins: [])) == .pin)
        for reason in [TrustFailure.Reason.noRequiredEvaluator, .noPolicy, .customEvaluation, .revocationNotAsked] {
            #expect(ExitStatus.status(of: reason) == .peerCertificate)
        }
        #expect(ExitStatus.status(of: .revoked(at: nil)) == .certificateStatus)
        #expect(ExitStatus.status(of: .missingStaple) == .certificateStatus)
    }
}

@Suite struct ExitStatusTests {
    @Test func `the page about the command has the same table`() throws {
        let root = (0..<5).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        let file = root.appending(path: "Sources/Tern/Tern.docc/TheCommand.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        for status in ExitStatus.allCases { #expect(page.contains("| \(status.rawValue) | \(status.cause) |")) }
    }

    @Test func `the table has one line for each number`() {
        let lines = ExitStatus.table.split(separator: "\n")
        #expect(lines.count == ExitStatus.allCases.count)
        #expect(lines.first == "   0  done" && lines.contains("  28  a timeout passed"))
    }
}

@Suite struct CommandFailureTests {
    @Test func `a failure is told with curl's number, whatever URL was requested`() {
        let failure = CommandFailure(.authorities, "--cacert: cannot read x")
        #expect(failure.line == "tern: (77) --cacert: cannot read x")
        #expect(failure.message(asking: "http://a.test/") == "--cacert: cannot read x")
        #expect(ExitStatus(of: failure) == .authorities)
    }
}
