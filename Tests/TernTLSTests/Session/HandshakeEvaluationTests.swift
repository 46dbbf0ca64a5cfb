// SPDX-License-Identifier: Apache-2.0
import TernLock
import TernTesting
import Testing

@testable import TernTLS

/// Handshakes with servers whose evaluation takes long, or that are refused for it.
struct HandshakeEvaluationTests {
    private let root: CertificateAuthority
    private static let manyNames = LeafRequest(dnsNames: ["localhost"] + (0..<2600).map { "\($0).test" })

    init() throws { root = try CertificateAuthority() }

    private func dialogue(
        _ version: TLSProtocolVersion, _ leaf: LeafRequest, host: String = "localhost",
        policy: ServerTrustPolicy = .performDefaultEvaluation(validateHost: true)
    ) throws -> Dialogue {
        try Dialogue(root: root, host: host, leaf: leaf, policy: policy) {
            $0.minimumVersion = version
            $0.maximumVersion = version
        }
    }

    private func refusal(_ dialogue: Dialogue) throws -> String? {
        do {
            _ = try dialogue.handshake()
            return nil
        } catch let error as TLSError {
            return error.trustFailure?.rule ?? "\(error)"
        }
    }

    @Test(arguments: TLSSessionTests.versions)
    func `a common server is evaluated within the handshake`(version: TLSProtocolVersion) throws {
        let dialogue = try dialogue(version, .localhost)
        _ = try dialogue.handshake()
        #expect(dialogue.evaluations == 0 && dialogue.trust?.isAccepted == true)
    }

    @Test(arguments: TLSSessionTests.versions)
    func `one with thousands of names is evaluated on another thread, and the handshake continues`(
        version: TLSProtocolVersion
    )
        throws
    {
        for policy in [
            ServerTrustPolicy.performDefaultEvaluation(validateHost: true),
            .performRevokedEvaluation(validateHost: true, revocationFlags: [.ocsp, .networkAccessDisabled]),
        ] {
            let dialogue = try dialogue(version, Self.manyNames, policy: policy)
            _ = try dialogue.handshake()
            #expect(dialogue.evaluations == 1 && dialogue.trust?.isAccepted == true)
        }
        let other = try dialogue(version, Self.manyNames, host: "elsewhere.test")
        #expect(try refusal(other) == "name-mismatch")
        #expect(other.evaluations == 1)
    }

    @Test(arguments: TLSSessionTests.versions)
    func `a closure of the user's is asked once, in the handshake`(version: TLSProtocolVersion) throws {
        let calls = Lock(0)
        let dialogue = try dialogue(
            version, Self.manyNames,
            policy: .composite([
                .performDefaultEvaluation(validateHost: true),
                .customEvaluation { _, _ in
                    calls.withLock { $0 += 1 }
                    return false
                },
            ]))
        #expect(try refusal(dialogue) == "custom-evaluation")
        #expect(calls.withLock { $0 } == 1 && dialogue.evaluations == 1)
    }

    @Test func `the handshake does not continue before the verdict`() throws {
        let dialogue = try dialogue(.v1_3, Self.manyNames)
        dialogue.server.receive(try dialogue.firstFlight())
        _ = try dialogue.server.handshake()
        var (progress, offset) = try dialogue.feedHandshake(dialogue.server.send())
        guard case .needEvaluation(let first) = progress else { throw Dialogue.Trouble.tooManyTurns }
        (progress, offset) = try dialogue.feedHandshake([])
        #expect(progress == .needEvaluation(first) && offset == 0 && !dialogue.hasOutgoing)
        // Another session's result is not taken.
        let stranger = try self.dialogue(.v1_3, Self.manyNames)
        stranger.server.receive(try stranger.firstFlight())
        _ = try stranger.server.handshake()
        guard case .needEvaluation(let other) = try stranger.feedHandshake(stranger.server.send()).progress else {
            throw Dialogue.Trouble.tooManyTurns
        }
        dialogue.client.take(other.run())
        #expect(try dialogue.feedHandshake([]).progress == .needEvaluation(first))
        dialogue.client.take(first.run())
        #expect(try dialogue.feedHandshake([]).progress != .needEvaluation(first))
    }

    @Test(arguments: TLSSessionTests.versions)
    func `too many certificates are not even read`(version: TLSProtocolVersion) throws {
        let stranger = try CertificateAuthority().certificatePEM
        for (count, expected) in [(15, nil), (16, "certificate-count")] {
            let leaf = try root.issue()
            let long = leaf.sending(
                chainPEM: leaf.certificatePEM + String(repeating: stranger, count: count))
            let dialogue = try Dialogue(identity: long, anchors: [root]) {
                $0.minimumVersion = version
                $0.maximumVersion = version
            }
            #expect(try refusal(dialogue) == expected)
            if expected != nil { #expect(dialogue.trust == nil && dialogue.hasOutgoing) }
        }
    }

    @Test(arguments: TLSSessionTests.versions)
    func `nor are too many bytes`(version: TLSProtocolVersion) throws {
        let text = "ASN1:UTF8String:" + String(repeating: "x", count: 33_000)
        let request = LeafRequest(
            dnsNames: ["localhost"], extensions: [CertificateExtension("1.3.6.1.4.1.99999.1", text)])
        #expect(try refusal(dialogue(version, request)) == "certificate-list-size")
    }
}
