// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLock
import TernTLS
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// Sessions that try the policies of next month beside the present ones.
@Suite struct TrustRehearsalTests {
    private let authority: CertificateAuthority
    private let origin: ScriptedOrigin

    init() throws {
        authority = try CertificateAuthority()
        origin = try ScriptedOrigin(tls: try authority.issue()) { _, _ in [.ok()] }
    }

    private func pinSet(_ pin: String) throws -> PinSet {
        PinSet(hosts: [try HostPattern("localhost")], pins: [try X509Certificate.PublicKey(pin: pin)])
    }

    @Test func `requests pass, the report names what the next policies refuse, and pins are reported as not refused`()
        async throws
    {
        let (reports, report) = AsyncStream.makeStream(of: PinFailureReport.self)
        let rehearsal = TrustRehearsal(
            of: ServerTrustPolicyManager(pinSets: [try pinSet(try CertificateAuthority().pin)]),
            enforcing: ServerTrustPolicyManager(pinSets: [try pinSet(authority.pin)]) { report.yield($0) })
        let session = try Session.trusting(authority)
        session.serverTrustPolicyManager = rehearsal
        for _ in 0..<2 {
            let (_, response) = try await session.data(for: URLRequest(origin))
            #expect(response.statusCode == 200)
            // Another connection, which resumes the TLS session.
            session.serverTrustPolicyManager = rehearsal
        }
        #expect(rehearsal.report.hosts == 1)
        #expect(rehearsal.report.refused.mapValues(\.rule) == ["localhost:\(origin.port)": "key-not-pinned"])
        var iterator = reports.makeAsyncIterator()
        let first = await iterator.next()
        #expect(first?.isRefused == false)
        #expect(first?.failure.rule == "key-not-pinned")
        #expect(first?.port == origin.port)
    }

    @Test func `a server that only the next policies accept is refused, and told`() async throws {
        let rehearsal = TrustRehearsal(
            of: ServerTrustPolicyManager(pinSets: [try pinSet(authority.pin)]),
            enforcing: ServerTrustPolicyManager(pinSets: [try pinSet(try CertificateAuthority().pin)]))
        let session = try Session.trusting(authority)
        session.serverTrustPolicyManager = rehearsal
        #expect(await session.failure(of: try URLRequest(origin))?.reason.rule == "key-not-pinned")
        #expect(rehearsal.report.recovered == ["localhost:\(origin.port)"])
        #expect(origin.requests.isEmpty)
    }

    @Test func `responders are not asked for the next policies`() async throws {
        let responder = try ScriptedOrigin { _, _ in [.ok()] }
        var request = LeafRequest.localhost
        request.extensions = [CertificateExtension("authorityInfoAccess", "OCSP;URI:\(responder.url("/ocsp"))")]
        let origin = try ScriptedOrigin(tls: try authority.issue(request)) { _, _ in [.ok()] }
        let rehearsal = TrustRehearsal(
            of: ServerTrustPolicyManager(policies: [
                "localhost": .performRevokedEvaluation(
                    validateHost: true, revocationFlags: [.ocsp, .requirePositiveResponse])
            ]))
        let session = try Session.trusting(authority)
        session.serverTrustPolicyManager = rehearsal
        _ = try await session.data(for: URLRequest(origin))
        #expect(rehearsal.report.refused.mapValues(\.rule) == ["localhost:\(origin.port)": "revocation-undetermined"])
        #expect(responder.observations.connectionCount == 0)
    }
}
