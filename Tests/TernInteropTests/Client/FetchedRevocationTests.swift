// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernTesting
import Testing

/// Revocation found out by asking `openssl ocsp`, and by fetching the lists of `openssl ca`.
@Suite struct FetchedRevocationTests {
    private static let strict: RevocationFlags = [.useAnyAvailableMethod, .requirePositiveResponse]

    @Test(arguments: [OpenSSLServer.Version.tls12, .tls13])
    func `a responder vouches for one certificate and not for the other`(version: OpenSSLServer.Version) async throws {
        let responder = try OCSPResponder()
        let (good, bad, unknown) = (try responder.issue(), try responder.issue(), try responder.issue())
        try await responder.record(good, isRevoked: false)
        try await responder.record(bad, isRevoked: true)
        let process = try await responder.start()
        defer { process.release() }
        for (identity, rule) in [(good, nil), (bad, "revoked"), (unknown, "unknown-to-responder")] {
            let server = try await OpenSSLServer(version, identity: identity)
            let task = try await RecordedTask.run(
                try session(responder.authority, Self.strict.subtracting(.crl)), server.url())
            #expect(task.error?.reason.rule == rule)
            #expect(task.status == (rule == nil ? 200 : nil))
        }
    }

    @Test(arguments: [false, true])
    func `a list does where no responder answers`(isRevoked: Bool) async throws {
        let responder = try OCSPResponder()
        let lists = try LoopbackPort.free().number
        let identity = try responder.issue(listURL: "http://127.0.0.1:\(lists)/ca.crl")
        try await responder.record(identity, isRevoked: isRevoked)
        try await responder.list().write(to: responder.folder.url.appending(path: "ca.crl"))
        let files = try ServerProcess(
            "python3", ["-m", "http.server", "--bind", "127.0.0.1", "\(lists)"], package: "python3",
            in: responder.folder.url)
        try await files.waitUntilListening(on: lists)
        defer { files.release() }
        let server = try await OpenSSLServer(.tls13, identity: identity)
        for flags in [Self.strict, Self.strict.subtracting(.ocsp), Self.strict.union(.preferCRL)] {
            let task = try await RecordedTask.run(try session(responder.authority, flags), server.url())
            #expect(task.error?.reason.rule == (isRevoked ? "revoked" : nil))
        }
        let offline = try await RecordedTask.run(
            try session(responder.authority, Self.strict.union(.networkAccessDisabled)), server.url())
        #expect(offline.error?.reason.rule == "revocation-undetermined")
    }

    @Test func `a responder that is not there is no obstacle, unless its word is required`() async throws {
        let responder = try OCSPResponder()
        let server = try await OpenSSLServer(.tls13, identity: try responder.issue())
        let lenient = try await RecordedTask.run(
            try session(responder.authority, .useAnyAvailableMethod), server.url())
        #expect(lenient.status == 200)
        let strict = try await RecordedTask.run(try session(responder.authority, Self.strict), server.url())
        #expect(strict.error?.reason.rule == "revocation-undetermined")
        #expect(strict.error?.phase == .tls)
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
