// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernAFNetworking
import TernTesting
import TestProofs
import Testing

@testable import Tern

@Suite struct ServerTrustTests {
    private let authority: CertificateAuthority
    private let identity: Identity
    private let origin: ScriptedOrigin

    init() throws {
        authority = try CertificateAuthority()
        identity = try authority.issue(.localhost)
        origin = try ScriptedOrigin(tls: identity) { _, _ in [.ok("secret")] }
    }

    private func manager(_ policies: ServerTrustPolicyManager?, trusts: Bool = true) throws -> SessionManager {
        var configuration = SessionConfiguration.default
        if trusts { configuration.tls.anchors = .only([try X509Certificate(pem: authority.certificatePEM)]) }
        return SessionManager(configuration: configuration, serverTrustPolicyManager: policies)
    }

    private func pin(_ pin: String) throws -> ServerTrustPolicyManager {
        ServerTrustPolicyManager(policies: [
            "localhost": .pinPublicKeys(
                publicKeys: [try X509Certificate.PublicKey(pin: pin)], validateCertificateChain: true,
                validateHost: true)
        ])
    }

    @Test(.proves("2.4c", "6.1b")) func `the right pin lets the request through`() async throws {
        let manager = try manager(pin(identity.pin))
        let request = manager.request(origin.url()).validate()
        #expect(try await request.serializingString().value == "secret")
    }

    @Test(.proves("1.17c", "13.19b"))
    func `a refusal reaches the handler with its reason, and nothing reaches the server`() async throws {
        let wrong = try CertificateAuthority().pin
        let manager = try manager(pin(wrong))
        let (errors, continuation) = AsyncStream.makeStream(of: (any Error)?.self)
        manager.request(origin.url()).validate().responseData { continuation.yield($0.error) }
        let error = try #require(await errors.first { _ in true } as? SessionError)
        guard case .connecting(.insecure(let failure)) = error.reason, case .trust(let refusal) = failure.reason else {
            Issue.record("\(error)")
            return
        }
        guard case .keyNotPinned(let pins) = refusal.reason else {
            Issue.record("\(refusal)")
            return
        }
        #expect(pins.map(\.pin) == [wrong])
        #expect(refusal.seen.map(\.publicKey.pin).contains(identity.pin))
        #expect(!error.wasSent)
        #expect(origin.requests.isEmpty)
    }

    @Test(.proves("6.1d", "13.2a")) func `a host without a policy is evaluated as the system would`() async throws {
        let manager = try manager(nil, trusts: false)
        let error = await manager.request(origin.url()).serializingData().response.error
        #expect((error as? SessionError)?.reason.kind == .trust)
    }
}

/// Report only, enforce, rotate: the steps of the page "Pinning without breaking your app", in code.
@Suite struct PolicyFileUseTests {
    private func policy(_ pins: [String], mode: String) -> String {
        #"{"pinSets":[{"hosts":["localhost"],"pins":["\#(pins.joined(separator: "\",\""))"],"mode":"\#(mode)"}]}"#
    }

    @Test func `a policy file reports, then enforces, then is rotated while the manager is at work`() async throws {
        let authority = try CertificateAuthority()
        let identity = try authority.issue()
        let origin = try ScriptedOrigin(tls: identity) { _, _ in [.ok("done")] }
        let folder = FileManager.default.temporaryDirectory.appending(path: "tern-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "policy.json")
        let wrong = try CertificateAuthority().pin

        try Data(policy([wrong], mode: "reportOnly").utf8).write(to: path)
        let (reports, reported) = AsyncStream.makeStream(of: PinFailureReport.self)
        let policies = try PolicyFile(contentsOf: path).manager { reported.yield($0) }
        var configuration = SessionConfiguration.default
        configuration.tls.anchors = .only([try X509Certificate(pem: authority.certificatePEM)])
        let manager = SessionManager(configuration: configuration, serverTrustPolicyManager: policies)
        #expect(try await manager.request(origin.url()).serializingString().value == "done")
        let report = try #require(await reports.first { _ in true })
        #expect(!report.isRefused)
        #expect(report.result.explanation.contains(identity.pin))

        try Data(policy([wrong], mode: "enforce").utf8).write(to: path)
        manager.serverTrustPolicyManager = try PolicyFile(contentsOf: path).manager()
        #expect(await manager.request(origin.url()).serializingString().response.error != nil)

        try Data(policy([wrong, identity.pin], mode: "enforce").utf8).write(to: path)
        manager.serverTrustPolicyManager = try PolicyFile(contentsOf: path).manager()
        #expect(try await manager.request(origin.url()).serializingString().value == "done")
        #expect(origin.requests.count == 2)
    }
}

@Suite struct ServerTrustPolicyBundleTests {
    private let folder = TestFolder()

    @Test(.proves("13.15b")) func `the certificates of a bundle are pins, and its keys are theirs`() throws {
        let identity = try CertificateAuthority().issue()
        let certificate = try X509Certificate(pem: identity.certificatePEM)
        try Data(certificate.der).write(to: folder.file("server.cer", ""))
        _ = try folder.file("key.pem", identity.privateKeyPEM)
        _ = try folder.file("noise.der", "noise")
        let bundle = try #require(Bundle(url: folder.url))
        #expect(ServerTrustPolicy.certificates(in: bundle) == [certificate])
        #expect(ServerTrustPolicy.publicKeys(in: bundle) == [certificate.publicKey])
    }

    @Test(.proves("1.19b"))
    func `AFNetworking's policy takes files whose extension is cer, and pins none unless it is to pin`() throws {
        let certificate = try X509Certificate(pem: CertificateAuthority().issue().certificatePEM)
        let other = try X509Certificate(pem: CertificateAuthority().issue().certificatePEM)
        try Data(certificate.der).write(to: folder.file("server.cer", ""))
        try Data(other.der).write(to: folder.file("other.der", ""))
        _ = try folder.file("noise.cer", "noise")
        let bundle = try #require(Bundle(url: folder.url))
        #expect(AFSecurityPolicy.certificates(in: bundle) == [certificate])
        let policy = AFSecurityPolicy()
        #expect(policy.sslPinningMode == .none && policy.pinnedCertificates.isEmpty)
        #expect(!policy.allowInvalidCertificates && policy.validatesDomainName)
    }
}
