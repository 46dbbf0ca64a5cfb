// SPDX-License-Identifier: Apache-2.0
import TernTLS
import TernTesting

extension CertificateAuthority {
    func certificate() throws -> Certificate { try Certificate(pem: certificatePEM) }
}

extension Identity {
    func certificate() throws -> Certificate { try Certificate(pem: certificatePEM) }
}

extension ServerTrust {
    /// What a server with this identity sends, and these certificates behind it.
    init(_ identity: Identity, _ more: [Certificate] = [], anchors: [Certificate], time: Int64? = nil) throws {
        self.init(
            sentChain: try Certificate.all(inPEM: identity.chainPEM) + more, anchors: .only(anchors), time: time)
    }
}
