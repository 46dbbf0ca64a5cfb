// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import Foundation
import TernTesting
import Testing

@testable import TernTLS

struct TrustAnchorsTests {
    private let root: CertificateAuthority

    init() throws { root = try CertificateAuthority() }

    private func evaluate(_ anchors: TrustAnchors) throws -> ServerTrustResult {
        let trust = ServerTrust(sentChain: [try root.issue().certificate()], anchors: anchors)
        return ServerTrustPolicy.performDefaultEvaluation(validateHost: true).evaluate(trust, host: "localhost")
    }

    @Test func `the system's anchors are there, and do not include ours`() throws {
        #expect(SystemTrust.first.store.all.count > 0)
        #expect(try evaluate(.system).failure?.reason == .missingIssuer)
    }

    @Test func `our anchors may stand alone or beside the system's`() throws {
        let own = try root.certificate()
        #expect(try evaluate(.only([own])).isAccepted)
        #expect(try evaluate(.systemAnd([own])).isAccepted)
        #expect(try evaluate(.systemAnd([])).failure?.reason == .missingIssuer)
        #expect(try evaluate(.only([])).failure?.reason == .noAnchors)
        #expect(TrustStore(.first, and: [own]).all.count == SystemTrust.first.store.all.count + 1)
    }

    @Test func `one anchor twice is one anchor`() throws {
        let own = try root.certificate()
        #expect(try evaluate(.only([own, own])).isAccepted)
    }

    @Test func `anchors are equal if they trust the same`() throws {
        let own = try root.certificate()
        #expect(TrustAnchors.only([own]) == .only([own]))
        #expect(TrustAnchors.only([own]) != .systemAnd([own]))
        #expect(TrustAnchors.system == .system)
        var configuration = TLSSettings()
        #expect(configuration == TLSSettings())
        configuration.anchors = .only([own])
        #expect(configuration != TLSSettings())
    }

    @Test func `many threads may evaluate with the same anchors`() async throws {
        let anchors = TrustAnchors.systemAnd([try root.certificate()])
        let accepted = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 { group.addTask { try evaluate(anchors).isAccepted } }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(accepted == 64)
    }

    @Test func `a folder's certificates are found by the hash of their name, beside those given`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tern-anchors-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let own = try root.certificate()
        // The folder is not searched for a name that a given certificate has.
        let other = try CertificateAuthority(AuthorityRequest(commonName: "Other")).certificate()
        #expect(try evaluate(.folder(folder.path, and: [own])).isAccepted)
        #expect(try !evaluate(.folder(folder.path, and: [other])).isAccepted)
        let hash = unsafe X509_NAME_hash_ex(X509_get_subject_name(own.x509.pointer), nil, nil, nil)
        let digits = String(hash, radix: 16)
        let name = String(repeating: "0", count: 8 - digits.count) + digits + ".0"
        try Data(root.certificatePEM.utf8).write(to: folder.appending(path: name))
        #expect(try evaluate(.folder(folder.path)).isAccepted)
        #expect(try evaluate(.folder(folder.path, and: [other])).isAccepted)
        #expect(try !evaluate(.folder("/nowhere")).isAccepted)
        #expect(TrustAnchors.folder("/a") != .folder("/b") && TrustAnchors.folder("/a") == .folder("/a"))
    }
}
