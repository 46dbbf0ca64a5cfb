// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import TernTesting
import Testing

@testable import TernTLS

/// Timestamps inside the handshake.
struct TransparencyHandshakeTests {
    private let scene: TransparencyScene

    init() throws { scene = try TransparencyScene() }

    private func dialogue(
        _ leaf: Identity, _ version: TLSProtocolVersion, timestamps: [UInt8]? = nil,
        policy: ServerTrustPolicy? = nil, context: TLSContext? = nil
    ) throws -> Dialogue {
        let context =
            try context
            ?? Dialogue.context(anchors: [scene.root]) {
                $0.minimumVersion = version
                $0.maximumVersion = version
            }
        var options = ServerEngine.Options(ticketKey: 7)
        options.timestamps = timestamps
        return try Dialogue(
            identity: leaf, context: context, policy: policy ?? .certificateTransparency(.chrome(scene.list())),
            server: options)
    }

    @Test(arguments: TLSSessionTests.versions)
    func `timestamps in the certificate suffice, and the verdict is resumed with the session`(
        version: TLSProtocolVersion
    ) throws {
        let leaf = try scene.leaf([scene.logs[0], scene.logs[2]])
        let context = try Dialogue.context(anchors: [scene.root]) {
            $0.minimumVersion = version
            $0.maximumVersion = version
        }
        let first = try dialogue(leaf, version, context: context)
        let rest = try first.handshake()
        _ = try first.open(rest)
        #expect(first.trust?.statuses == [.valid, .valid])
        #expect(first.evaluations == 0)
        let second = try dialogue(leaf, version, context: context)
        _ = try second.handshake()
        #expect(second.info.resumed)
        #expect(second.trust?.statuses == [.valid, .valid])
        let list = scene.list(states: [0: .rejected])
        let other = try dialogue(leaf, version, policy: .certificateTransparency(.chrome(list)), context: context)
        #expect(throws: TLSError.self) { try other.handshake() }
        #expect(!other.info.resumed)
    }

    @Test(arguments: TLSSessionTests.versions)
    func `a server's timestamps suffice`(version: TLSProtocolVersion) throws {
        let leaf = try scene.issuer.issue(TransparencyScene.short)
        let list = TransparencyTestLog.list(try scene.timestamps([scene.logs[0], scene.logs[2]], for: leaf))
        let dialogue = try dialogue(leaf, version, timestamps: list)
        _ = try dialogue.handshake()
        #expect(dialogue.trust?.transparency?.findings.map(\.source) == [.handshake, .handshake])
        #expect(dialogue.trust?.statuses == [.valid, .valid])
    }

    @Test(arguments: TLSSessionTests.versions)
    func `a server without timestamps is refused`(version: TLSProtocolVersion) throws {
        let dialogue = try dialogue(try scene.issuer.issue(TransparencyScene.short), version)
        let error = try #require(throws: TLSError.self) { try dialogue.handshake() }
        guard case .trust(let failure) = error.reason else { throw error }
        #expect(failure.reason == .certificateTransparency(.noTimestamps))
        #expect(dialogue.trust?.failure == failure)
    }

    @Test(arguments: TLSSessionTests.versions)
    func `a server's list that is cut at any byte is refused, or counts for less`(
        version: TLSProtocolVersion
    ) throws {
        let leaf = try scene.issuer.issue(TransparencyScene.short)
        let list = TransparencyTestLog.list(try scene.timestamps([scene.logs[0], scene.logs[2]], for: leaf))
        let context = try Dialogue.context(anchors: [scene.root]) {
            $0.minimumVersion = version
            $0.maximumVersion = version
        }
        for count in stride(from: 1, to: list.count, by: 7) {
            let dialogue = try dialogue(leaf, version, timestamps: Array(list.prefix(count)), context: context)
            #expect(throws: TLSError.self) { try dialogue.handshake() }
        }
    }

    @Test func `a session without the policy does not ask for timestamps`() throws {
        let leaf = try scene.leaf([scene.logs[0], scene.logs[2]])
        let extensionOfTimestamps: [UInt8] = [0, 18, 0, 0]
        func asks(_ policy: ServerTrustPolicy) throws -> Bool {
            let hello = try dialogue(leaf, .v1_3, policy: policy).firstFlight()
            return hello.indices.contains { hello[$0...].starts(with: extensionOfTimestamps) }
        }
        let rules = ServerTrustPolicy.certificateTransparency(.chrome(scene.list()))
        #expect(try asks(rules))
        #expect(try asks(.composite([.performDefaultEvaluation(validateHost: true), rules])))
        let revoked = ServerTrustPolicy.performRevokedEvaluation(validateHost: true, revocationFlags: .ocsp)
        #expect(try !asks(revoked))
        #expect(try !asks(.performDefaultEvaluation(validateHost: true)))
    }

    @Test func `many timestamps are evaluated on another thread`() throws {
        let many = Array(repeating: scene.logs[0], count: 40)
        let dialogue = try dialogue(try scene.leaf(many), .v1_3)
        #expect(throws: TLSError.self) { try dialogue.handshake() }
        #expect(dialogue.evaluations == 1)
    }
}
