// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTesting
import Testing

@testable import TernEngine

@Suite(.timeLimit(.minutes(5))) struct TransportTests {
    /// How a server can end, and whether that is the orderly end of what its connection carries.
    enum End: String, CaseIterable, Sendable {
        case orderly, withoutNotice, reset

        var step: ScriptedOrigin.Step {
            switch self {
            case .orderly: .close
            case .withoutNotice: .closeAbruptly
            case .reset: .reset
            }
        }
    }

    /// Bodies that end before they should, and those that say themselves when they are over.
    enum Body: String, CaseIterable, Sendable {
        case shortLength = "Content-Length: 10\r\n\r\n12345"
        case noLastChunk = "Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n"
        case noTrailerEnd = "Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n0\r\n"
        case wholeLength = "Content-Length: 5\r\n\r\n12345"
        case wholeChunked = "Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n0\r\n\r\n"
        case untilClose = "\r\n12345"

        var isFramed: Bool { self == .wholeLength || self == .wholeChunked }
    }

    @Test(arguments: Body.allCases, [false, true])
    func `a body is complete only if its framing or an orderly end says so`(body: Body, isSecure: Bool) async throws {
        let authority = try CertificateAuthority()
        let identity = isSecure ? try authority.issue() : nil
        for end in End.allCases {
            // A reset may overtake the bytes before it, so the framed bodies are taken in first.
            let wait: [ScriptedOrigin.Step] = end == .reset ? [.hold] : []
            let origin = try ScriptedOrigin(tls: identity) { _, _ in
                [.send("HTTP/1.1 200 OK\r\n" + body.rawValue)] + wait + [end.step]
            }
            let session = try Session.trusting(authority)
            let delegate = RecordingDelegate()
            session.dataTask(with: try URLRequest(origin), delegate: delegate).resume()
            if end == .reset {
                await delegate.wait { $0.body.count == 5 || $0.completions > 0 }
                try origin.release()
            }
            let record = await delegate.end()
            let isComplete =
                switch end {
                case .orderly: body.isFramed || body == .untilClose
                case .withoutNotice: body.isFramed || (body == .untilClose && !isSecure)
                case .reset: body.isFramed
                }
            #expect((record.error == nil) == isComplete, "\(body), \(end)")
            #expect(record.body == Array("12345".utf8), "\(body), \(end)")
            if let error = record.error {
                #expect(error.phase == .body, "\(body), \(end)")
                #expect(error.reason.isConnectionLoss, "\(body), \(end)")
            }
        }
    }
}
