// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernTLS
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

/// A look at a server's certificates.
@Suite(.timeLimit(.minutes(1))) struct ServerTrustPresentedTests {
    private let authority: CertificateAuthority
    private let identity: Identity
    private let origin: ScriptedOrigin
    private let folder: SecretFolder

    init() throws {
        authority = try CertificateAuthority()
        identity = try authority.issue()
        origin = try ScriptedOrigin(tls: identity) { _, _ in [.ok()] }
        folder = try SecretFolder()
    }

    /// A configuration whose files trust the server, and have a policy.
    private func configuration() throws -> SessionConfiguration {
        try folder.write(authority.certificatePEM, to: "anchors.pem")
        try folder.write(#"{"pinSets": [{"hosts": ["localhost"], "pins": ["\#(identity.pin)"]}]}"#, to: "policy.json")
        var paths = TrustFilePaths()
        (paths.anchors, paths.policy) = (.only(folder.url("anchors.pem")), folder.url("policy.json"))
        var configuration = SessionConfiguration()
        configuration.trustFiles = try Watch(paths).files
        configuration.httpAdditionalHeaders = ["Authorization": "Bearer secret"]
        return configuration
    }

    @Test func `no request is sent, though a file has a policy that accepts the server`() async throws {
        let url = try #require(URL(string: origin.url()))
        let trust = try await ServerTrust.presented(by: url, configuration: configuration())
        #expect(trust.sentChain.first?.der == identity.der && origin.requests.isEmpty)
        // The anchors are those of the file.
        let policy = ServerTrustPolicy.performDefaultEvaluation(validateHost: true)
        #expect(policy.evaluate(trust, host: "localhost").isAccepted)
    }

    @Test func `nothing answers in place of the server`() async throws {
        let session = try Session.trusting(authority) { $0.urlCache = URLCache() }
        let url = try #require(URL(string: origin.url()))
        let cache = try #require(session.configuration.urlCache)
        let response = try #require(
            HTTPURLResponse(
                url: url, statusCode: 200, httpVersion: nil, headerFields: ["Cache-Control": "max-age=60"]))
        cache.storeCachedResponse(
            CachedURLResponse(response: response, data: Data("x".utf8)), for: URLRequest(url: url))
        #expect(try await session.text(URLRequest(url: url)) == "x")
        let trust = try await ServerTrust.presented(by: url, configuration: session.configuration)
        #expect(trust.sentChain.first?.der == identity.der && origin.requests.isEmpty)
    }

    @Test func `behind a proxy over TLS they are those of the server`() async throws {
        let (port, identity) = (origin.port, try authority.issue())
        let server = try ScriptedProxy(tls: identity) { _ in port }
        var configuration = try configuration()
        configuration.proxySettings = ProxySettings(Proxy(.https, host: "localhost", port: server.port))
        configuration.proxyTrustPolicyManager = ServerTrustPolicyManager(policies: [:])
        let url = try #require(URL(string: origin.url()))
        let trust = try await ServerTrust.presented(by: url, configuration: configuration)
        #expect(trust.sentChain.first?.der == self.identity.der && origin.requests.isEmpty)
    }
}
