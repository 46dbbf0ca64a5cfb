// SPDX-License-Identifier: Apache-2.0
import TernTLS
import TernTesting

/// The chain of a server, example.com, whose key may be pinned.
struct PinnedServer {
    let trust: ServerTrust
    let leaf: X509Certificate

    init() throws {
        let authority = try CertificateAuthority()
        let identity = try authority.issue(LeafRequest(dnsNames: ["example.com"]))
        leaf = try identity.certificate()
        trust = try ServerTrust(identity, anchors: [try authority.certificate()])
    }
}

/// A suite about policies of one pinned server.
protocol PinnedServerSuite {
    var server: PinnedServer { get }
}

extension PinnedServerSuite {
    var trust: ServerTrust { server.trust }
    var leaf: X509Certificate { server.leaf }

    /// Pins the server's key.
    var right: ServerTrustPolicy {
        .pinPublicKeys(publicKeys: [leaf.publicKey], validateCertificateChain: true, validateHost: true)
    }

    /// Pins another key.
    var wrong: ServerTrustPolicy {
        .pinPublicKeys(
            publicKeys: [X509Certificate.PublicKey(subjectPublicKeyInfo: [1])], validateCertificateChain: true,
            validateHost: true)
    }
}
