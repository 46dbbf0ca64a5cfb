// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernHTTP1
import TernTLS
import TernTesting
import Testing

@testable import TernEngine
@testable import TernIO

@Suite(.timeLimit(.minutes(5))) struct SessionErrorTests {
    private func failure(_ url: String, in session: Session = .limited()) async throws -> SessionError {
        let url = try #require(URL(string: url))
        return try #require(await session.failure(of: URLRequest(url: url)))
    }

    /// Fetches once from a TLS origin and expects a refusal before any byte of the request.
    private func refusal(
        _ identity: Identity, trusting authority: CertificateAuthority, host: String? = nil,
        policies: [String: ServerTrustPolicy]? = nil
    ) async throws -> TrustFailure {
        let origin = try ScriptedOrigin(tls: identity) { _, _ in [.ok()] }
        let session = try Session.trusting(authority, policies: policies)
        let error = try #require(await session.failure(of: try URLRequest(origin, host: host)))
        #expect(error.phase == .tls)
        #expect(error.origin?.port == origin.port)
        #expect(error.remoteAddress?.port == origin.port)
        #expect(!error.wasSent)
        #expect(error.reason.kind == .trust)
        #expect(await origin.waitFor { $0.openConnections == 0 && $0.failedHandshakes.count == 1 })
        #expect(origin.observations.headCount == 0)
        #expect(origin.observations.handshakes.isEmpty)
        let failure = try #require(error.reason.trustFailure)
        #expect(error.reason.rule == failure.rule)
        return failure
    }

    @Test func `wrong authority`() async throws {
        let failure = try await refusal(CertificateAuthority().issue(), trusting: CertificateAuthority())
        #expect(failure.reason == .missingIssuer || failure.reason == .untrustedRoot)
    }

    @Test func `self-signed certificate`() async throws {
        let failure = try await refusal(CertificateAuthority.selfSigned(), trusting: CertificateAuthority())
        #expect(failure.reason == .missingIssuer || failure.reason == .untrustedRoot)
    }

    @Test func `wrong host name`() async throws {
        let authority = try CertificateAuthority()
        let failure = try await refusal(
            authority.issue(LeafRequest(dnsNames: ["other.example"])), trusting: authority)
        guard case .nameMismatch = failure.reason else {
            Issue.record("\(failure)")
            return
        }
        #expect(failure.host == "localhost")
    }

    @Test func `address that the certificate does not name`() async throws {
        let authority = try CertificateAuthority()
        let leaf = try authority.issue(LeafRequest(dnsNames: ["localhost", "127.0.0.1"]))
        let failure = try await refusal(leaf, trusting: authority, host: "127.0.0.1")
        guard case .nameMismatch = failure.reason else {
            Issue.record("\(failure)")
            return
        }
    }

    @Test func `expired certificate`() async throws {
        let authority = try CertificateAuthority()
        var leaf = LeafRequest.localhost
        leaf.validity = .expired
        let failure = try await refusal(authority.issue(leaf), trusting: authority)
        guard case .expired = failure.reason else {
            Issue.record("\(failure)")
            return
        }
    }

    @Test func `wrong pin`() async throws {
        let authority = try CertificateAuthority()
        let identity = try authority.issue()
        let wrong = try X509Certificate.PublicKey(pin: CertificateAuthority().pin)
        let failure = try await refusal(
            identity, trusting: authority,
            policies: [
                "localhost": .pinPublicKeys(publicKeys: [wrong], validateCertificateChain: true, validateHost: true)
            ])
        #expect(failure.reason == .keyNotPinned(pins: [wrong]))
        #expect(failure.seen.map(\.publicKey.pin) == [identity.pin, authority.pin])
        // Wherever the error is printed, with the keys that could be pinned.
        for text in ["\(failure)", "\(SessionError(.connecting(.insecure(TLSError(.trust(failure)))), phase: .tls))"] {
            #expect(text.contains("localhost is not trusted: none of the pinned keys is in the chain; seen: "))
            #expect(text.contains(identity.pin) && text.contains(authority.pin) && !text.contains("SSL routines"))
        }
    }

    @Test func `server that does not speak TLS`() async throws {
        let origin = try ScriptedOrigin(onAccept: { _ in [.send("220 mail.example ESMTP\r\n")] }) { _, _ in [] }
        let error = try await failure(origin.url().replacing("http:", with: "https:"))
        #expect(error.phase == .tls)
        #expect(error.reason.kind == .tls)
        #expect(!error.wasSent)
        #expect(error.remoteAddress?.port == origin.port)
    }

    @Test func `server that closes during the handshake`() async throws {
        let authority = try CertificateAuthority()
        for step in [ScriptedOrigin.Step.close, .reset] {
            let origin = try ScriptedOrigin(tls: authority.issue(), onAccept: { _ in [.receive(1), step] }) { _, _ in []
            }
            let error = try await failure(origin.url(), in: .trusting(authority))
            #expect(error.phase == .tls)
            #expect(error.reason.isConnectionLoss)
            #expect(!error.wasSent)
        }
    }

    @Test func `server that demands a certificate`() async throws {
        let authority = try CertificateAuthority()
        for version in [ScriptedOrigin.TLSOptions.Version.tls12, .tls13] {
            var options = ScriptedOrigin.TLSOptions.only(version)
            options.clientCertificates = .required(authorityPEM: authority.certificatePEM)
            let origin = try ScriptedOrigin(tls: authority.issue(), tlsOptions: options) { _, _ in [.ok()] }
            let error = try await failure(origin.url(), in: .trusting(authority))
            // In TLS 1.3 the client is done before the server refuses: the alert may cross the request.
            #expect(error.phase == (version == .tls12 ? .tls : .head))
            guard case .connecting(.insecure(let tls)) = error.reason, case .clientCertificateRequired = tls.reason
            else {
                Issue.record("\(error)")
                continue
            }
        }
    }

    @Test func `descriptions name failure, phase and peer, in one line`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.close] }
        let error = try await failure("http://user:secret@127.0.0.1:\(origin.port)/secret?secret")
        #expect(
            "\(error)"
                == "the server closed the connection before the response was complete (http://127.0.0.1:\(origin.port))"
        )
        #expect(error.errorDescription == "\(error)" && error.host == "127.0.0.1")
    }
}
