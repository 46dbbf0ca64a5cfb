// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernTesting
import TestProofs
import Testing

@Suite struct SessionErrorURLErrorTests {
    private func error(_ url: String, timeouts: Timeouts? = nil, manager: SessionManager = .default) async throws
        -> any Error
    {
        var request = try URLRequest(url: url, method: .get)
        request.timeouts = timeouts
        return try #require(await manager.request(request).serializingData().response.error)
    }

    @Test func `an error is an NSError of URLSession's domain and number`() async throws {
        let error = try await error("ftp://example.com/")
        #expect((error as NSError).domain == NSURLErrorDomain)
        #expect((error as NSError).code == NSURLErrorUnsupportedURL)
        #expect((error as? SessionError)?.code == .unsupportedURL)
        #expect(error.localizedDescription == "\(error)")
    }

    @Test func `it can be had as Foundation's own, with this one beneath`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.close] }
        let error = try #require(try await error(origin.url("/secret")) as? SessionError)
        #expect(error.urlError.code == .networkConnectionLost)
        #expect(error.urlError.failingURL?.absoluteString == origin.url("").description)
        #expect(error.urlError.userInfo[NSUnderlyingErrorKey] is SessionError)
        #expect(!"\(error.urlError.userInfo)".contains("secret"))
    }

    @Test(.proves("10.1e")) func `each failure before a connection has its code`() async throws {
        let closed = try ScriptedOrigin { _, _ in [] }
        let url = closed.url()
        closed.stop()
        #expect((try await error(url) as NSError).code == NSURLErrorCannotConnectToHost)
        #expect((try await error("http://host.invalid/") as NSError).code == NSURLErrorCannotFindHost)
        #expect((try await error("http://127.0.0.1:99999/") as NSError).code == NSURLErrorBadURL)
        #expect((try await error("/path") as NSError).code == NSURLErrorUnsupportedURL)
    }

    @Test func `what runs out of time, and what is cancelled, says so`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.hold] }
        #expect(
            (try await error(origin.url(), timeouts: Timeouts(idle: .milliseconds(50))) as NSError).code
                == NSURLErrorTimedOut)
        let request = SessionManager.default.request(origin.url())
        request.cancel()
        let cancelled = try #require(await request.serializingData().response.error)
        #expect((cancelled as NSError).code == NSURLErrorCancelled)
    }

    @Test(.proves("6.1b", "13.19a"))
    func `a server that the system would refuse is untrusted, one that pins refuse is cancelled`() async throws {
        let origin = try ScriptedOrigin(tls: CertificateAuthority().issue()) { _, _ in [.ok("")] }
        let untrusted = try await error(origin.url(), manager: SessionManager())
        #expect((untrusted as NSError).code == -1202, "\(untrusted)")
        let pinning = SessionManager(
            serverTrustPolicyManager: ServerTrustPolicyManager(policies: [
                "localhost": .pinPublicKeys(publicKeys: [], validateCertificateChain: false, validateHost: false)
            ]))
        let unpinned = try await error(origin.url(), manager: pinning)
        #expect((unpinned as NSError).code == NSURLErrorCancelled, "\(unpinned)")
    }

    private static let cases: [(SessionError.Reason, URLError.Code)] = [
        (.sessionInvalidated, .cancelled), (.transfer(.bodyTooLarge(limit: 1)), .dataLengthExceedsMaximum),
        (.transfer(.outOfMemory), .dataLengthExceedsMaximum),
        (.transfer(.memoryQuotaExceeded(limit: 1)), .dataLengthExceedsMaximum),
        (.transfer(.redirect(.tooMany(limit: 1))), .httpTooManyRedirects),
        (.transfer(.redirect(.malformedLocation)), .redirectToNonExistentLocation),
        (.transfer(.redirect(.bodyNotReplayable)), .requestBodyStreamExhausted),
        (.connecting(.queueFull(limit: 1)), .resourceUnavailable),
        (
            .connecting(
                .circuitOpen(
                    OpenCircuit(
                        HTTPOrigin(scheme: .http, host: "a.test", port: 80), nextProbe: .now, delay: .zero,
                        isHalfOpen: false))), .resourceUnavailable
        ),
        (
            .connecting(.egressRefused(EgressViolation(rule: .unixSocket, address: nil, host: "a.test"))),
            .resourceUnavailable
        ),
        (.connecting(.unresolved(ResolveError(host: "::1", reason: .otherFamily))), .cannotConnectToHost),
        (.connecting(.unresolved(ResolveError(host: "a.test", reason: .unknownHost))), .cannotFindHost),
        (.connecting(.unresolved(ResolveError(host: "a.test", reason: .failure))), .cannotFindHost),
        (.connecting(.dialer(ConnectionDialerError(.used))), .cannotConnectToHost),
        (.connecting(.insecure(TLSError(.handshakeFailed))), .secureConnectionFailed),
        (.request(.invalid(.unreadableContent(.noRegularFile(path: "/a")))), .fileIsDirectory),
        (.request(.body(.tooShort(missing: 1))), .requestBodyStreamExhausted),
        (.timedOut(.connect), .timedOut), (.request(.invalid(.missingURL)), .unsupportedURL),
    ]

    @Test func `what cannot be brought about here has its code as well`() {
        for (reason, code) in Self.cases { #expect(SessionError(reason, phase: .request).code == code) }
    }
}
