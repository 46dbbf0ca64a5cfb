// SPDX-License-Identifier: Apache-2.0
import Foundation
import FoundationEssentials
import TernLock
import TernTLS
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

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

@Suite struct PinReportBodyTests {
    private func body(host: String, hosts: [String]) throws -> [String: Any] {
        let authority = try CertificateAuthority()
        let leaf = try authority.issue(LeafRequest(dnsNames: ["www.example.com"]))
        let trust = ServerTrust(
            sentChain: [try X509Certificate(pem: leaf.certificatePEM)],
            anchors: .only([try X509Certificate(pem: authority.certificatePEM)]))
        let set = PinSet(
            hosts: try hosts.map(HostPattern.init), pins: [X509Certificate.PublicKey(subjectPublicKeyInfo: [])],
            expires: 4_102_444_800)
        let result = ServerTrustPolicy.pinSet(set).evaluate(trust, host: host)
        let report = try #require(PinFailureReport(result, port: 8443, pinSet: set))
        let json = try PinReportBody(report).json()
        return try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
    }

    @Test func `a mismatch has the members of RFC 7469`() throws {
        let body = try body(host: "www.example.com", hosts: ["**.example.com"])
        #expect(body["hostname"] as? String == "www.example.com")
        #expect(body["port"] as? Int == 8443)
        #expect(body["include-subdomains"] as? Bool == true)
        #expect(body["noted-hostname"] as? String == "**.example.com")
        #expect(body["effective-expiration-date"] as? String == "2100-01-01T00:00:00Z")
        #expect(
            body["known-pins"] as? [String] == ["pin-sha256=\"47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\""])
        #expect((body["served-certificate-chain"] as? [String])?.count == 1)
        #expect((body["validated-certificate-chain"] as? [String])?.count == 2)
        #expect(body["rule"] as? String == "key-not-pinned")
        #expect(body["refused"] as? Bool == true)
    }

    @Test func `a chain that was not validated is not said to be`() throws {
        let body = try body(host: "other.test", hosts: ["other.test"])
        #expect((body["validated-certificate-chain"] as? [String])?.isEmpty == true)
        #expect(body["rule"] as? String == "name-mismatch")
        #expect(body["include-subdomains"] as? Bool == false)
    }
}

@Suite struct PinReportLimiterTests {
    private let day = PinReportLimiter.interval

    /// Whether the reports pass, one after the other.
    private func passes(_ reports: [(rule: String, host: String, time: Int64)]) -> [Bool] {
        var limiter = PinReportLimiter()
        return reports.map { report in
            limiter.admits(
                PinReportLimiter.Subject(rule: report.rule, host: report.host, key: nil, pins: [], reportURLs: []),
                at: report.time)
        }
    }

    @Test func `a second collector of equal pins is told, too`() {
        var limiter = PinReportLimiter()
        let isNew = [["https://a/"], ["https://b/"], ["https://a/"]].map { urls in
            limiter.admits(.init(rule: "a", host: "x", key: nil, pins: [], reportURLs: urls), at: 0)
        }
        #expect(isNew == [true, true, false])
    }

    @Test func `another key, and another set of pins, are news`() {
        var limiter = PinReportLimiter()
        let keys = [
            X509Certificate.PublicKey(subjectPublicKeyInfo: [1]), X509Certificate.PublicKey(subjectPublicKeyInfo: [2]),
        ]
        for _ in 1...2 {
            let isNew = keys.flatMap { key in
                keys.map { limiter.admits(.init(rule: "a", host: "x", key: key, pins: [$0], reportURLs: []), at: 0) }
            }
            #expect(Set(isNew).count == 1)
        }
    }

    @Test func `one report a day passes for each rule and host`() {
        let reports = [
            ("a", "x", 0), ("a", "x", day - 1), ("a", "x", day), ("a", "x", day + 1), ("b", "x", 1), ("a", "y", 1),
        ]
        #expect(passes(reports) == [true, false, true, false, true, true])
    }

    @Test func `a clock that was set back does not suppress reports`() {
        #expect(passes([100 * day, 1, .min, .max].map { ("a", "x", $0) }) == [true, true, true, true])
    }

    @Test func `many hosts do not fill the memory, and the next day is a new one`() {
        let many = (0..<PinReportLimiter.capacity).map { ("a", "\($0)", Int64(0)) }
        let answers = passes(many + [("a", "one more", 1), ("a", "one more", day)])
        #expect(answers.dropLast(2).allSatisfy { $0 })
        #expect(answers.suffix(2) == [false, true])
    }
}
