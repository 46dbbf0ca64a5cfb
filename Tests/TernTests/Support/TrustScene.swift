// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock
import TernTesting

@testable import Tern

/// One server, its authority, the authority's OCSP responder, and each kind of policy about the server.
struct TrustScene {
    /// A policy, and its verdict without a closure.
    struct Line {
        let name: String
        let policy: ServerTrustPolicy?
        /// What the responder says about the server.
        var status = RevocationStatus.good
        /// The rule that refuses the server; nil if it is accepted.
        var rule: String?
        /// How often the responder is asked.
        var questions = 0
        /// How often failed pins are reported.
        var reports = 0
        /// How many keys the chain has.
        var pins = 2
    }

    let origin: ScriptedOrigin
    let lines: [Line]
    let configuration: SessionConfiguration
    private let responder: ScriptedOrigin
    private let words: Words
    private let authority: CertificateAuthority
    private let identity: Identity

    /// What the responder says.
    private final class Words: Sendable {
        let response = Lock<[UInt8]>([])
    }

    init() throws {
        let words = Words()
        self.words = words
        authority = try CertificateAuthority()
        responder = try ScriptedOrigin { _, _ in [.respond(body: words.response.withLock { $0 })] }
        identity = try authority.issue(
            LeafRequest(extensions: [CertificateExtension("authorityInfoAccess", "OCSP;URI:\(responder.url())")]))
        origin = try ScriptedOrigin(tls: identity) { _, _ in [.ok("secret")] }
        var configuration = SessionConfiguration.default
        configuration.tls.anchors = .only([try X509Certificate(pem: authority.certificatePEM)])
        self.configuration = configuration
        let (leaf, wrong) = (
            try X509Certificate(pem: identity.certificatePEM),
            try X509Certificate.PublicKey(pin: CertificateAuthority().pin)
        )
        let strict = ServerTrustPolicy.performRevokedEvaluation(
            validateHost: true, revocationFlags: [.ocsp, .requirePositiveResponse])
        let reporting = ServerTrustPolicy.pinSet(PinSet(pins: [wrong], mode: .reportOnly))
        lines = [
            Line(name: "no policy", policy: nil),
            Line(name: "default", policy: .performDefaultEvaluation(validateHost: true)),
            Line(
                name: "soft-fail, revoked",
                policy: .performRevokedEvaluation(validateHost: true, revocationFlags: [.ocsp]),
                status: .revoked(at: 1_700_000_000), rule: "revoked", questions: 1),
            Line(name: "positive answer required", policy: strict, questions: 1),
            Line(
                name: "positive answer required, unknown", policy: strict, status: .unknown,
                rule: "unknown-to-responder", questions: 1),
            Line(
                name: "certificate",
                policy: .pinCertificates(certificates: [leaf], validateCertificateChain: true, validateHost: true),
                pins: 1),
            Line(
                name: "wrong key",
                policy: .pinPublicKeys(publicKeys: [wrong], validateCertificateChain: true, validateHost: true),
                rule: "key-not-pinned"),
            Line(name: "wrong set", policy: .pinSet(PinSet(pins: [wrong])), rule: "key-not-pinned", reports: 1),
            Line(name: "wrong set, only reported", policy: reporting, reports: 1),
            Line(name: "composite", policy: .composite([strict, reporting]), questions: 1, reports: 1),
            Line(name: "disabled", policy: .disableEvaluation, pins: 0),
            Line(name: "custom", policy: .customEvaluation { _, _ in false }, rule: "custom-evaluation"),
        ]
    }

    /// The result of a request, and its effects.
    struct Result {
        let outcome: TrustLayer.Outcome
        let questions: Int
        let reports: Int
    }

    /// Makes requests of one after the other, and counts.
    func result(
        of line: Line, _ request: (ServerTrustPolicyManager) async throws -> TrustLayer.Outcome
    ) async throws -> Result {
        let response = try authority.ocspResponse(about: identity, line.status)
        words.response.withLock { $0 = response }
        let before = responder.observations.requestCount
        let (reports, continuation) = AsyncStream.makeStream(of: Void.self)
        let policies = ServerTrustPolicyManager(policies: line.policy.map { ["localhost": $0] } ?? [:]) { _ in
            continuation.yield()
        }
        let outcome = try await request(policies)
        var count = 0
        if line.reports > 0 {
            for await _ in reports {
                count += 1
                if count == line.reports { break }
            }
        }
        return Result(
            outcome: outcome, questions: responder.observations.requestCount - before, reports: count)
    }
}
