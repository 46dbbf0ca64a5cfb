// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernTesting
import Testing

/// Responses that `s_server` staples.
@Suite struct StapledRevocationTests {
    enum Staple: CaseIterable {
        case good, revoked, unknown, expired, missing

        /// The rule that refuses it, where a good word is required and where it is not.
        var rules: (strict: String?, lenient: String?) {
            switch self {
            case .good: (nil, nil)
            case .revoked: ("revoked", "revoked")
            case .unknown: ("unknown-to-responder", "unknown-to-responder")
            case .expired, .missing: ("revocation-undetermined", nil)
            }
        }

        func response(of authority: CertificateAuthority, about identity: Identity) throws -> [UInt8]? {
            switch self {
            case .good: try authority.ocspResponse(about: identity, .good)
            case .revoked: try authority.ocspResponse(about: identity, .revoked(at: 1_700_000_000))
            case .unknown: try authority.ocspResponse(about: identity, .unknown)
            case .expired: try authority.ocspResponse(about: identity, .good, validity: .days(-9, to: -1))
            case .missing: nil
            }
        }
    }

    @Test(arguments: [OpenSSLServer.Version.tls12, .tls13], Staple.allCases)
    func `is evaluated within the handshake`(version: OpenSSLServer.Version, staple: Staple) async throws {
        let authority = try CertificateAuthority()
        let identity = try authority.issue()
        let folder = try TemporaryFolder()
        var arguments: [String] = []
        if let response = try staple.response(of: authority, about: identity) {
            arguments = ["-status_file", try folder.write(Data(response), to: "response.der")]
        }
        let server = try await OpenSSLServer(version, identity: identity, arguments: arguments)
        let strict: RevocationFlags = [.useAnyAvailableMethod, .requirePositiveResponse]
        for (flags, rule) in [(strict, staple.rules.strict), (.useAnyAvailableMethod, staple.rules.lenient)] {
            let session = try session(authority, flags)
            let first = try await RecordedTask.run(session, server.url())
            #expect(first.error?.reason.rule == rule)
            #expect(first.status == (rule == nil ? 200 : nil))
            if rule == nil {
                let second = try await RecordedTask.run(session, server.url())
                #expect(second.tls?.resumed == true)
                #expect(second.status == 200)
            }
        }
    }

    @Test(arguments: [OpenSSLServer.Version.tls12, .tls13])
    func `is indispensable where the certificate demands it`(version: OpenSSLServer.Version) async throws {
        let authority = try CertificateAuthority()
        let identity = try authority.issue(
            LeafRequest(extensions: [CertificateExtension("tlsfeature", "status_request")]))
        let folder = try TemporaryFolder()
        let response = try authority.ocspResponse(about: identity, .good)
        let file = try folder.write(Data(response), to: "response.der")
        for (arguments, rule) in [(["-status_file", file], nil), ([], "missing-staple")] {
            let server = try await OpenSSLServer(version, identity: identity, arguments: arguments)
            let task = try await RecordedTask.run(try session(authority, .useAnyAvailableMethod), server.url())
            #expect(task.error?.reason.rule == rule)
            #expect(task.status == (rule == nil ? 200 : nil))
        }
    }

    @Test(arguments: [OpenSSLServer.Version.tls12, .tls13], TrustProfile.allCases)
    func `is indispensable under each policy, where the session says so`(
        version: OpenSSLServer.Version, profile: TrustProfile
    ) async throws {
        let authority = try CertificateAuthority()
        let identity = try authority.issue(
            LeafRequest(
                commonName: "localhost", validity: .days(-1, to: 40),
                extensions: [CertificateExtension("tlsfeature", "status_request")]))
        let folder = try TemporaryFolder()
        var configuration = SessionConfiguration.default
        configuration.tls.anchors = .only(try X509Certificate.all(inPEM: authority.certificatePEM))
        configuration.tls.profile = profile
        for staple in Staple.allCases {
            var arguments: [String] = []
            if let response = try staple.response(of: authority, about: identity) {
                arguments = ["-status_file", try folder.write(Data(response), to: "response.der")]
            }
            let server = try await OpenSSLServer(version, identity: identity, arguments: arguments)
            let rule =
                switch staple {
                case .good: String?.none
                case .revoked: "revoked"
                case .unknown: "unknown-to-responder"
                case .expired, .missing: "missing-staple"
                }
            for enforces in [false, true] {
                configuration.tls.enforcesMustStaple = enforces
                let session = Session(configuration: configuration)
                let first = try await RecordedTask.run(session, server.url())
                #expect(first.error?.reason.rule == (enforces ? rule : nil), "\(staple)")
                if first.error != nil { continue }
                #expect(try await RecordedTask.run(session, server.url()).tls?.resumed == true)
            }
        }
    }

    private func session(_ authority: CertificateAuthority, _ flags: RevocationFlags) throws -> Session {
        var configuration = SessionConfiguration.default
        configuration.tls.anchors = .only(try X509Certificate.all(inPEM: authority.certificatePEM))
        let policy = ServerTrustPolicy.performRevokedEvaluation(validateHost: true, revocationFlags: flags)
        return Session(
            configuration: configuration,
            serverTrustPolicyManager: ServerTrustPolicyManager(policies: ["localhost": policy]))
    }
}
