// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernTesting
import Testing

/// Servers of `openssl s_server` without their intermediate, whose authority publishes all that a client may ask for.
@Suite struct PublishedAuthorityTests {
    @Test(arguments: [OpenSSLServer.Version.tls12, .tls13])
    func `issuer and status come from where the certificate says`(version: OpenSSLServer.Version) async throws {
        let root = try CertificateAuthority()
        let intermediate = try root.issueIntermediate()
        let published = try AuthorityServer(of: intermediate)
        let request = LeafRequest(extensions: published.extensions)
        let (good, bad) = (try intermediate.issue(request), try intermediate.issue(request))
        published.revoke(bad)
        var configuration = SessionConfiguration.default
        configuration.tls.anchors = .only(try X509Certificate.all(inPEM: root.certificatePEM))
        for (identity, rule) in [(good, nil), (bad, "revoked")] {
            let server = try await OpenSSLServer(version, identity: identity.sending(chainPEM: identity.certificatePEM))
            for flags in [RevocationFlags.ocsp, .crl, .useAnyAvailableMethod] {
                let policy = ServerTrustPolicy.performRevokedEvaluation(validateHost: true, revocationFlags: flags)
                let manager = ServerTrustPolicyManager(policies: ["localhost": policy])
                configuration.tls.fetchesMissingIssuers = false
                let short = Session(configuration: configuration, serverTrustPolicyManager: manager)
                #expect(try await RecordedTask.run(short, server.url()).error?.reason.rule == "missing-issuer")
                configuration.tls.fetchesMissingIssuers = true
                let session = Session(configuration: configuration, serverTrustPolicyManager: manager)
                let task = try await RecordedTask.run(session, server.url())
                #expect(task.error?.reason.rule == rule)
                #expect(task.status == (rule == nil ? 200 : nil))
            }
        }
        let targets = published.requests.map(\.target)
        #expect(targets.count { $0 == "/ca.der" } == 6)
        #expect(targets.count { $0 == "/ocsp" } == 4 && targets.count { $0 == "/ca.crl" } >= 2)
    }

    @Test func `a request that is none is not answered`() async throws {
        let published = try AuthorityServer(of: try CertificateAuthority())
        let session = Session(configuration: .default)
        for url in [published.responderURL, published.listURL + "/", published.certificateURL + "?"] {
            #expect(try await RecordedTask.run(session, url).status == 404)
        }
        for url in [published.listURL, published.certificateURL] {
            #expect(try await RecordedTask.run(session, url).status == 200)
        }
    }
}
