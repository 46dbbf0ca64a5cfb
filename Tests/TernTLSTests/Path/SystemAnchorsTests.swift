// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import Foundation
import TernTesting
import Testing

@testable import TernTLS

struct SystemAnchorsTests {
    /// In a process of its own, for the environment is read once.
    @Test func `a folder of the system's is searched whether our anchors stand beside it or not`() async {
        await #expect(processExitsWith: .success) {
            let (root, own) = (try CertificateAuthority(), try CertificateAuthority(commonName: "Own"))
            let folder = FileManager.default.temporaryDirectory.appending(path: "tern-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let certificate = try root.certificate()
            let hash = withExtendedLifetime(certificate) { unsafe X509_subject_name_hash(certificate.x509.pointer) }
            try Data(root.certificatePEM.utf8).write(to: folder.appending(path: String(format: "%08lx.0", hash)))
            unsafe unsetenv("SSL_CERT_FILE")
            unsafe setenv("SSL_CERT_DIR", folder.path, 1)

            let chain = [try root.issue().certificate()]
            for anchors in [TrustAnchors.systemAnd([try own.certificate()]), .systemAnd([]), .system] {
                let trust = ServerTrust(sentChain: chain, anchors: anchors)
                let policy = ServerTrustPolicy.performDefaultEvaluation(validateHost: true)
                #expect(policy.evaluate(trust, host: "localhost").isAccepted, "\(anchors.source)")
            }
        }
    }
}
