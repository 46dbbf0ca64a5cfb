// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTLS
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// A server over TLS that says much and nothing of it to the application.
@Suite(.timeLimit(.minutes(5))) struct ConnectionMessagesTests {
    private let head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"

    @Test func `key updates without end are an error that names their limit`() async throws {
        let authority = try CertificateAuthority()
        let head = head
        let origin = try ScriptedOrigin(tls: authority.issue()) { _, _ in
            [.send(head)] + .init(repeating: .updateKeys, count: 100) + [.awaitClose]
        }
        let session = try Session.trusting(authority) { $0.timeouts.idle = nil }
        let error = await session.failure(of: try URLRequest(origin))
        #expect(error?.reason.tlsReason == .tooManyMessages(limit: 32))
        #expect(error?.phase == .body)
    }

    @Test func `a forged record within a body is a failure of the transfer`() async throws {
        let authority = try CertificateAuthority()
        let head = head
        let record: [UInt8] = [0x17, 3, 3, 0, 40] + .init(repeating: 7, count: 40)
        let origin = try ScriptedOrigin(tls: authority.issue()) { _, _ in
            [.send(head), .sendBelowTLS(record), .awaitClose]
        }
        let session = try Session.trusting(authority)
        let error = await session.failure(of: try URLRequest(origin))
        #expect(error?.reason.tlsReason == .protocolViolation)
        #expect(error?.reason.kind == .tls)
        #expect(error?.phase == .body)
        #expect(error?.wasSent == true)
    }

    @Test func `a peer that only changes keys is idle`() async throws {
        let authority = try CertificateAuthority()
        let head = head
        let leaf = try authority.issue()
        try await BriefLimit.expect(Optional(SessionError.TimeLimit.idle)) { limit in
            // Continues for more than three timeouts.
            let origin = try ScriptedOrigin(tls: leaf) { _, _ in
                [.send(head)] + (0..<40).map { $0 % 2 == 0 ? .updateKeys : .pause(limit / 6) } + [.send("-later")]
            }
            let session = try Session.trusting(authority) { $0.timeouts.idle = limit }
            return await session.failure(of: try URLRequest(origin))?.reason.limit
        }
    }

    @Test func `an idle connection that is talked to without end is closed`() async throws {
        let authority = try CertificateAuthority()
        let origin = try ScriptedOrigin(tls: authority.issue()) { connection, _ in
            [.ok("\(connection)")] + (connection == 1 ? .init(repeating: .updateKeys, count: 100) + [.awaitClose] : [])
        }
        let session = try Session.trusting(authority)
        #expect(try await session.text(URLRequest(origin)) == "1")
        #expect(await origin.waitFor { $0.openConnections == 0 })
        #expect(try await session.text(URLRequest(origin)) == "2")
    }
}

extension SessionError.Reason {
    fileprivate var tlsReason: TLSError.Reason? {
        if case .transfer(.tls(let error)) = self { error.reason } else { nil }
    }
}
