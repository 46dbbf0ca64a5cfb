// SPDX-License-Identifier: Apache-2.0
import Foundation
import Glibc
import TernEngine
import TernTLS
import Testing

@testable import TernCLI
@testable import TernHTTP1
@testable import TernIO

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
            (.connecting(.insecure(TLSError(.handshakeFailed))), .tls, 35),
            (.transfer(.tls(TLSError(.truncated))), .body, 56),
            (.connecting(.insecure(TLSError(.noPeerCertificate))), .tls, 60),
            (.connecting(.insecure(TLSError(.invalidConfiguration(.identity)))), .tls, 58),
            (.transfer(.connectionLost(nil)), .head, 52), (.transfer(.connectionLost(nil)), .body, 18),
            (.transfer(.connectionLost(nil)), .tls, 35), (.transfer(.connectionLost(reset)), .head, 56),
            (.transfer(.connectionLost(pipe)), .head, 55), (.transfer(.undecodable(.checksum)), .body, 61),
            (.transfer(.bodyTooLarge(limit: 1)), .body, 63), (.transfer(.outOfMemory), .body, 63),
            (.transfer(.redirect(.tooMany(limit: 1))), .head, 47), (.transfer(.redirect(.loop(origin))), .head, 47),
            (.transfer(.redirect(.ambiguousLocation)), .head, 8), (.transfer(.redirect(.insecure(origin))), .head, 1),
            (.transfer(.redirect(.malformedLocation)), .head, 3),
            (.transfer(.redirect(.bodyNotReplayable)), .head, 65),
            (.transfer(.unreadable(.notEvents(status: 404, contentType: nil))), .head, 22),
            (.download(.file(file, path: "x")), .body, 23), (.download(.exists(path: "x")), .head, 23),
            (.download(.wrongPart(.missing)), .head, 33), (.download(.incomplete(received: 1, of: 2)), .body, 18),
            (.download(.tooLong(limit: 1)), .body, 63), (.download(.digestMismatch(.sha256)), .body, 1),
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
        #expect(ExitStatus(of: DownloadTranscript.NoPart(status: 200)) == .noSuchRange)
    }

    @Test func `a certificate is refused with curl's number`() {
        #expect(ExitStatus.status(of: .untrustedRoot) == .peerCertificate)
        #expect(ExitStatus.status(of: .expired(notAfter: nil)) == .peerCertificate)
        #expect(ExitStatus.status(of: .keyNotPinned(pins: [])) == .pin)
        #expect(ExitStatus.status(of: .revoked(at: nil)) == .certificateStatus)
        #expect(ExitStatus.status(of: .missingStaple) == .certificateStatus)
    }
}
