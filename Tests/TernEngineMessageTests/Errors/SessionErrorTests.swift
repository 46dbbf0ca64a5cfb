// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernHTTP1
import TernTLS
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport
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

@Suite struct SessionErrorKindTests {
    @Test func `each kind has a word of its own, in the form of the others`() {
        let words = SessionError.Kind.allCases.map(\.rawValue)
        #expect(Set(words).count == words.count)
        for word in words { #expect(word.allSatisfy { $0.isLowercase || $0 == "-" }, "\(word)") }
    }

    private static let refused = SystemCallError(.connect, code: ECONNREFUSED)
    private static let reset = SystemCallError(.recv, code: ECONNRESET)
    private static let full = SystemCallError(.pwrite, code: ENOSPC)
    private static let unasked = HTTPProtocolError.unexpectedBytes
    private static let unavailable = try! HTTPURLResponse(url: nil, statusCode: 503)

    /// Scripts read kind and rule, logs the description.
    @Test(
        arguments: [
            (.request(.invalid(.missingURL)), "invalid-request", nil, "the request is invalid: it has no URL"),
            (
                .request(.invalid(.unencodable(unasked))), "invalid-request",
                "the server sent bytes that answer no request (RFC 9112 §9.2)", "the request is invalid: \(unasked)"
            ),
            (
                .request(.body(.tooShort(missing: 2))), "request-content",
                "it ended 2 bytes before its announced length",
                "the request body could not be sent: it ended 2 bytes before its announced length"
            ),
            (
                .connecting(.unresolved(ResolveError(host: "a.test", code: EAI_NONAME))), "unresolved", nil,
                "no address for a.test: Name or service not known"
            ),
            (
                .connecting(.unreachable(ConnectError(attempts: []))), "unreachable", "unreachable",
                "cannot connect"
            ),
            (
                .connecting(
                    .unreachable(
                        ConnectError(attempts: [
                            .init(address: .ip(IPAddress(storage: .v4(0)), port: 1), error: refused)
                        ]))),
                "unreachable", "Connection refused", "cannot connect to 0.0.0.0:1: Connection refused (errno 111)"
            ),
            (
                .connecting(.insecure(TLSError(.noPeerCertificate))), "tls", "the server presented no certificate",
                "the server presented no certificate"
            ),
            (.connecting(.queueFull(limit: 3)), "queue-full", nil, "too many queued requests for this host (limit 3)"),
            (
                .transfer(.malformedResponse(unasked)), "malformed-response",
                "the server sent bytes that answer no request (RFC 9112 §9.2)",
                "the response breaks HTTP/1.1: \(unasked)"
            ),
            (
                .transfer(.connectionLost(nil)), "connection-lost", nil,
                "the server closed the connection before the response was complete"
            ),
            (
                .transfer(.connectionLost(reset)), "connection-lost", "Connection reset by peer",
                "the connection was lost: \(reset)"
            ),
            (
                .transfer(.undecodable(.tooManyCodings(limit: 5))), "undecodable", nil,
                "the body is coded more than 5 times"
            ),
            (.transfer(.redirect(.tooMany(limit: 20))), "redirect", "more than 20 redirects", "more than 20 redirects"),
            (
                .transfer(.bodyTooLarge(limit: 9)), "body-too-large", nil,
                "the body exceeds the 9 bytes of maximumCollectedBodySize"
            ),
            (.transfer(.outOfMemory), "out-of-memory", nil, "the system has no memory for the body"),
            (
                .transfer(.memoryQuotaExceeded(limit: 9)), "memory-quota-exceeded", nil,
                "with this body, all together exceed the 9 bytes of memoryQuota"
            ),
            (
                .transfer(.upgradeNotTaken), "upgrade-not-taken", nil,
                "the server switched to the protocol that was asked for, and nothing took the connection over"
            ),
            (
                .transfer(.unreadable(.lineTooLong(limit: 9))), "line-too-long", "a line is longer than 9 bytes",
                "the content cannot be read: a line is longer than 9 bytes"
            ),
            (
                .transfer(.unreadable(.characterTooLong(limit: 9))), "character-too-long",
                "a character is longer than 9 bytes", "the content cannot be read: a character is longer than 9 bytes"
            ),
            (
                .transfer(.unreadable(.undecodableLine(number: 9, SessionError.Reason.cancelled))), "line-undecodable",
                "line 9 cannot be decoded", "the content cannot be read: line 9 cannot be decoded"
            ),
            (
                .transfer(.unreadable(.eventTooLarge(limit: 9))), "event-too-large", "an event is larger than 9 bytes",
                "the content cannot be read: an event is larger than 9 bytes"
            ),
            (
                .transfer(.unreadable(.notEvents(status: 503, contentType: nil))), "not-events",
                "the server answered 503, not 200", "the content cannot be read: the server answered 503, not 200"
            ),
            (
                .download(.file(full, path: "/a/b")), "file", "No space left on device", "the file /a/b: \(full)"
            ),
            (.download(.exists(path: "/a/b")), "file-exists", nil, "there is a file /a/b already"),
            (.download(.notRegularFile(path: "/a")), "not-a-regular-file", nil, "/a is no regular file"),
            (.download(.unsuccessful(unavailable)), "http-status", "503", "the server answered 503"),
            (
                .download(.wrongPart(.start(5, asked: 9))), "wrong-part", "it begins at byte 5, and was to begin at 9",
                "the server sent another part than was asked for: it begins at byte 5, and was to begin at 9"
            ),
            (.download(.incomplete(received: 5, of: 9)), "incomplete", nil, "the server sent 5 of 9 bytes"),
            (
                .download(.digestMismatch(.sha256, expected: [1], actual: [2])), "digest-mismatch", "sha-256",
                "the sha-256 digest of the content is 02, and not 01"
            ),
            (.download(.noDigest), "no-digest", nil, "the response has no Repr-Digest that is understood"),
            (
                .download(.resumeData(.missingFile(path: "/a"))), "resume-data", "the partial file /a is gone",
                "the resume data cannot be used: the partial file /a is gone"
            ),
            (.timedOut(.head), "timed-out", "head", "the head time limit passed"),
            (.cancelled, "cancelled", nil, "cancelled"),
            (
                .sessionInvalidated, "session-invalidated", nil,
                "the session is gone: keep it, or its manager, until its tasks have ended"
            ),
            (.system(refused), "system", "Connection refused", "\(refused)"),
        ] as [(SessionError.Reason, String, String?, String)])
    func `a reason keeps its words`(
        _ reason: SessionError.Reason, _ kind: String, _ rule: String?, _ description: String
    ) {
        #expect(reason.kind.rawValue == kind)
        #expect(reason.rule == rule ?? description)
        #expect("\(reason)" == description)
    }
}
