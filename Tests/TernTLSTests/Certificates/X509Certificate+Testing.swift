// SPDX-License-Identifier: Apache-2.0
import TernTLS
import TernTesting

extension CertificateAuthority {
    func certificate() throws -> X509Certificate { try X509Certificate(pem: certificatePEM) }
}

extension Identity {
    func certificate() throws -> X509Certificate { try X509Certificate(pem: certificatePEM) }
}

extension ServerTrust {
    /// What a server with this identity sends, and these certificates behind it.
    init(_ identity: Identity, _ more: [X509Certificate] = [], anchors: [X509Certificate], time: Int64? = nil) throws {
        self.init(
            sentChain: try X509Certificate.all(inPEM: identity.chainPEM) + more, anchors: .only(anchors), time: time)
    }
}
