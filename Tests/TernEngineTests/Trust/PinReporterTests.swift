// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTLS
import TernTesting
import Testing

@testable import TernEngine
import TernLock

/// Reports about servers that do not match their pins.
@Suite struct PinReporterTests {
    private let authority: CertificateAuthority
    private let origin: ScriptedOrigin

    init() throws {
        authority = try CertificateAuthority()
        origin = try ScriptedOrigin(tls: try authority.issue()) { _, _ in [.ok()] }
    }

    private func set(_ mode: PinSet.Mode, reportURLs: [String] = []) throws -> PinSet {
        PinSet(
            hosts: [try HostPattern("localhost")],
            pins: [try X509Certificate.PublicKey(pin: try CertificateAuthority().pin)],
            mode: mode,
            reportURLs: reportURLs)
    }

    @Test(arguments: PinSet.Mode.allCases)
    func `a mismatch is reported once to the observer, refused or not`(mode: PinSet.Mode) async throws {
        let session = try Session.trusting(authority)
        let (reports, report) = AsyncStream.makeStream(of: PinFailureReport.self)
        let manager = ServerTrustPolicyManager(pinSets: [try set(mode)]) { report.yield($0) }
        session.serverTrustPolicyManager = manager
        let request = try URLRequest(origin)
        for _ in 0..<3 {
            // Each on a connection of its own.
            #expect(await session.failure(of: request)?.reason.rule == (mode == .enforce ? "key-not-pinned" : nil))
            session.serverTrustPolicyManager = manager
        }
        session.serverTrustPolicyManager = ServerTrustPolicyManager(pinSets: [])
        // Swapping resets the limit: one report a swap.
        var seen: [PinFailureReport] = []
        for await report in reports {
            seen.append(report)
            if seen.count == 3 { break }
        }
        #expect(seen.allSatisfy { $0.isRefused == (mode == .enforce) })
        #expect(seen.allSatisfy { $0.failure.rule == "key-not-pinned" && $0.result.host == "localhost" })
        #expect(seen.allSatisfy { $0.port == origin.port })
    }

    @Test func `a server that matches its pins is not reported`() async throws {
        let session = try Session.trusting(authority)
        let count = Lock(0)
        var set = try set(.enforce)
        set.backupPins = [try X509Certificate.PublicKey(pin: authority.pin)]
        session.serverTrustPolicyManager = ServerTrustPolicyManager(pinSets: [set]) { _ in count.withLock { $0 += 1 } }
        _ = try await session.data(for: URLRequest(origin))
        #expect(count.withLock { $0 } == 0)
    }

    @Test func `a report is posted as RFC 7469 has it, and not held up by the pins it is about`() async throws {
        // The collector stands behind the very pins that are wrong.
        let collector = try ScriptedOrigin(tls: try authority.issue()) { _, _ in [.ok()] }
        let session = try Session.trusting(authority)
        session.serverTrustPolicyManager = ServerTrustPolicyManager(
            pinSets: [try set(.enforce, reportURLs: [collector.url("/pins")])])
        #expect(await session.failure(of: try URLRequest(origin)) != nil)
        #expect(await collector.waitFor { $0.requestCount == 1 })
        let request = try #require(collector.requests.first)
        #expect(request.method == "POST")
        #expect(request.target == "/pins")
        let body = try JSONDecoder().decode(Report.self, from: Data(request.body))
        #expect(body.hostname == "localhost")
        #expect(body.port == origin.port)
        #expect(body.refused)
        #expect(body.rule == "key-not-pinned")
        #expect(body.servedChain.count == 1)
        #expect(body.validatedChain.last == authority.certificatePEM)
        #expect(body.knownPins.allSatisfy { $0.hasPrefix("pin-sha256=\"") })
        // The same again within a day is not news.
        #expect(await session.failure(of: try URLRequest(origin)) != nil)
        await session.settle()
        #expect(collector.observations.requestCount == 1)
    }

    @Test func `each of several sets is reported separately, and only if the server does not match it`() async throws {
        let collectors = try (0..<3).map { _ in try ScriptedOrigin(tls: try authority.issue()) { _, _ in [.ok()] } }
        let session = try Session.trusting(authority)
        var met = try set(.enforce, reportURLs: [collectors[0].url()])
        met.backupPins = [try X509Certificate.PublicKey(pin: authority.pin)]
        let waived = try set(.reportOnly, reportURLs: [collectors[1].url()])
        let broken = try set(.enforce, reportURLs: [collectors[2].url()])
        session.serverTrustPolicyManager = ServerTrustPolicyManager(
            policies: ["localhost": .composite([.pinSet(met), .pinSet(waived), .pinSet(broken)])])
        #expect(await session.failure(of: try URLRequest(origin)) != nil)
        for (collector, set) in [(collectors[1], waived), (collectors[2], broken)] {
            #expect(await collector.waitFor { $0.requestCount == 1 })
            let body = try JSONDecoder().decode(Report.self, from: Data(try #require(collector.requests.first).body))
            #expect(body.knownPins.count == set.allPins.count)
            #expect(body.knownPins.first?.contains(set.allPins[0].pin.dropFirst(7)) == true)
        }
        #expect(collectors[0].observations.connectionCount == 0)
    }

    @Test func `a collector is not shown the client's identity`() async throws {
        let client = try authority.issue(LeafRequest(commonName: "client", dnsNames: []))
        var options = ScriptedOrigin.TLSOptions()
        options.clientCertificates = .requested(authorityPEM: authority.certificatePEM)
        let collector = try ScriptedOrigin(tls: try authority.issue(), tlsOptions: options) { _, _ in [.ok()] }
        let identity = try ClientIdentity(pem: Array((client.chainPEM + client.privateKeyPEM).utf8))
        let session = try Session.trusting(authority) { $0.tls.identity = identity }
        session.serverTrustPolicyManager = ServerTrustPolicyManager(
            pinSets: [try set(.enforce, reportURLs: [collector.url()])])
        #expect(await session.failure(of: try URLRequest(origin)) != nil)
        #expect(await collector.waitFor { $0.requestCount == 1 })
        #expect(collector.observations.handshakes.map(\.clientCertificate) == [nil])
    }

    private struct Report: Decodable {
        let hostname: String
        let port: UInt16
        let rule: String
        let refused: Bool
        let servedChain, validatedChain, knownPins: [String]

        private enum CodingKeys: String, CodingKey {
            case hostname, port, rule, refused
            case servedChain = "served-certificate-chain"
            case validatedChain = "validated-certificate-chain"
            case knownPins = "known-pins"
        }
    }
}
