// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernTesting
import TestProofs
import Testing

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
