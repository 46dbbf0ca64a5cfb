// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import TernTesting
import Testing

@testable import TernTLS

/// Client certificates, for servers that ask.
struct ClientAuthenticationTests {
    private let root: CertificateAuthority
    private let own: Identity
    private let identity: ClientIdentity

    init() throws {
        root = try CertificateAuthority()
        own = try root.issueIntermediate().issue()
        let files = IdentityFiles(own)
        identity = try ClientIdentity(pem: files.certificates, privateKeyPEM: files.privateKey)
    }

    private func dialogue(_ version: TLSProtocolVersion, _ identity: ClientIdentity?) throws -> Dialogue {
        let dialogue = try Dialogue(root: root) {
            $0.minimumVersion = version
            $0.maximumVersion = version
            $0.identity = identity
        }
        unsafe SSL_set_verify(
            dialogue.server.ssl, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, { _, _ in 1 })
        return dialogue
    }

    @Test(arguments: TLSSessionTests.versions)
    func `the server gets the certificate and those that lead to its authority`(version: TLSProtocolVersion) throws {
        let dialogue = try dialogue(version, identity)
        _ = try dialogue.handshake()
        let chain = unsafe X509Certificate.copies(of: SSL_get0_verified_chain(dialogue.server.ssl))
        #expect(chain.starts(with: identity.certificates))
        let leaf = unsafe try #require(SSL_get0_peer_certificate(dialogue.server.ssl))
        #expect(unsafe X509Certificate(X509Reference(retaining: leaf)) == identity.certificates[0])
    }

    @Test func `without an identity the error says what is missing, in the handshake of TLS 1_2`() throws {
        let dialogue = try dialogue(.v1_2, nil)
        #expect(throws: ServerEngine.Failure.self) { try dialogue.handshake() }
        let error = try #require(throws: TLSError.self) { try dialogue.feedHandshake(dialogue.server.send()) }
        #expect(error.reason == .clientCertificateRequired(TLSAlert(code: 40)))
    }

    @Test func `without an identity the error says what is missing, at the first read of TLS 1_3`() throws {
        let dialogue = try dialogue(.v1_3, nil)
        #expect(throws: ServerEngine.Failure.self) { try dialogue.handshake() }
        let error = try #require(throws: TLSError.self) { try dialogue.open(dialogue.server.send()) }
        #expect(error.reason == .clientCertificateRequired(TLSAlert(code: 116)))
    }

    @Test(arguments: TLSSessionTests.versions, [true, false])
    func `an identity that names its hosts is shown to no other`(version: TLSProtocolVersion, isIntended: Bool) throws {
        var identity = identity
        identity.hosts = [try HostPattern("b.test"), try HostPattern(isIntended ? "localhost" : "**.a.test")]
        #expect(identity != self.identity)
        let dialogue = try dialogue(version, identity)
        if isIntended {
            _ = try dialogue.handshake()
            let leaf = unsafe try #require(SSL_get0_peer_certificate(dialogue.server.ssl))
            #expect(unsafe X509Certificate(X509Reference(retaining: leaf)) == identity.certificates[0])
            return
        }
        #expect(throws: ServerEngine.Failure.self) { try dialogue.handshake() }
        let error = try #require(throws: TLSError.self) {
            let alert = dialogue.server.send()
            if version == .v1_2 { _ = try dialogue.feedHandshake(alert) }
            _ = try dialogue.open(alert)
        }
        if case .clientCertificateRequired = error.reason {} else { Issue.record("\(error)") }
    }

    @Test func `a key that is too weak for TLS is refused before any connection`() throws {
        let weak = IdentityFiles(try CertificateAuthority.selfSigned(LeafRequest(key: .rsa(bits: 1024))))
        var configuration = TLSSettings()
        configuration.identity = try ClientIdentity(pem: weak.certificates, privateKeyPEM: weak.privateKey)
        let error = try #require(throws: TLSError.self) { try TLSContext(configuration) }
        #expect(error.reason == .invalidConfiguration(.identity))
    }
}
