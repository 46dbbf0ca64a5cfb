// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import Foundation
import TernTesting
import Testing

@testable import TernTLS

struct TrustStoreTests {
    @Test func `anchors are found by the names they issue under`() throws {
        let (one, two) = (try CertificateAuthority(commonName: "One"), try CertificateAuthority(commonName: "Two"))
        let store = TrustStore(try [one.certificate(), two.certificate()])
        #expect(store.certificates(issuing: try one.issue().certificate()) == [try one.certificate()])
        #expect(store.certificates(issuing: try CertificateAuthority().issue().certificate()).isEmpty)
        #expect(store.contains(try two.certificate()))
        // The name alone does not make an anchor.
        #expect(!store.contains(try CertificateAuthority(commonName: "Two").certificate()))
        #expect(!store.isEmpty)
        #expect(TrustStore([]).isEmpty)
    }

    /// In a process of its own, for the environment is read once.
    @Test func `an anchor of one's own does not hide the system's of the same name`() async {
        await #expect(processExitsWith: .success) {
            let (system, own) = (
                try CertificateAuthority(commonName: "Twin"), try CertificateAuthority(commonName: "Twin")
            )
            let file = FileManager.default.temporaryDirectory.appending(path: "tern-\(UUID().uuidString).pem")
            try Data(system.certificatePEM.utf8).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            unsafe setenv("SSL_CERT_FILE", file.path, 1)
            unsafe unsetenv("SSL_CERT_DIR")

            let anchors = TrustAnchors.systemAnd([try own.certificate()])
            for authority in [system, own] {
                let trust = ServerTrust(sentChain: [try authority.issue().certificate()], anchors: anchors)
                let policy = ServerTrustPolicy.performDefaultEvaluation(validateHost: true)
                #expect(policy.evaluate(trust, host: "localhost").isAccepted)
            }
            #expect(Set(TrustStore(.first, and: []).all) == [try system.certificate()])
        }
    }
}

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

/// The rules are meant to pass every certificate in use: here are some that can be had without a network.
struct SystemRootTests {
    @Test func `every root of the system keeps the rules for anchors`() {
        let store = SystemTrust.first.store
        let place = CertificateRule.Place(depth: 2, isAnchor: true)
        for root in store.all {
            #expect(root.brokenRule(at: place) == nil, "\(root)")
            #expect(root.brokenWebRule(at: place) == nil, "\(root)")
            #expect(root.brokenNameConstraintRule(below: []) == nil, "\(root)")
        }
    }
}
