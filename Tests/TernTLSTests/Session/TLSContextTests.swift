// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import TernTesting
import Testing

@testable import TernTLS

struct TLSContextTests {
    @Test func `a configuration that contradicts itself is refused`() throws {
        var configuration = TLSSettings()
        configuration.minimumVersion = .v1_3
        configuration.maximumVersion = .v1_2
        #expect {
            try TLSContext(configuration)
        } throws: { error in
            if case .invalidConfiguration(.versions) = (error as? TLSError)?.reason { true } else { false }
        }
    }

    @Test(arguments: ["", String(repeating: "x", count: 256)])
    func `an application protocol has 1 to 255 bytes`(name: String) throws {
        var configuration = TLSSettings()
        configuration.applicationProtocols = ["http/1.1", name]
        #expect {
            try TLSContext(configuration)
        } throws: { error in
            if case .invalidConfiguration(.applicationProtocol(name)) = (error as? TLSError)?.reason {
                true
            } else {
                false
            }
        }
    }

    @Test func `without application protocols none is offered and none is picked`() throws {
        let dialogue = try Dialogue(root: CertificateAuthority()) { $0.applicationProtocols = [] }
        _ = try dialogue.handshake()
        #expect(dialogue.info.applicationProtocol == nil)
    }

    @Test(arguments: [
        "DHE-RSA-AES256-GCM-SHA384", "AES256-GCM-SHA384", "ECDHE-RSA-AES256-SHA384", "DHE-RSA-CHACHA20-POLY1305",
    ]) func `ciphers without ephemeral curves and authenticated encryption are not offered`(cipher: String) throws {
        let dialogue = try Dialogue(
            root: CertificateAuthority(), leaf: LeafRequest(key: .rsa(bits: 2048)),
            server: .init(maximum: TLS1_2_VERSION, ciphers: cipher))
        dialogue.server.receive(try dialogue.firstFlight())
        #expect(throws: ServerEngine.Failure.self) { try dialogue.server.handshake() }
    }

    @Test(arguments: ["ffdhe2048", "ffdhe8192"])
    func `keys are not exchanged in finite fields`(group: String) throws {
        let dialogue = try Dialogue(root: CertificateAuthority(), server: .init(groups: group))
        dialogue.server.receive(try dialogue.firstFlight())
        #expect(throws: ServerEngine.Failure.self) { try dialogue.server.handshake() }
    }

    @Test(arguments: ["X25519", "P-256", "P-384", "P-521", "X448"])
    func `keys are exchanged on every usual curve`(group: String) throws {
        let dialogue = try Dialogue(root: CertificateAuthority(), server: .init(groups: group))
        _ = try dialogue.handshake()
        #expect(dialogue.trust?.verdict == .accepted)
    }

    @Test func `a server that picks no application protocol is fine`() throws {
        let dialogue = try Dialogue(root: CertificateAuthority(), server: .init(applicationProtocol: nil))
        _ = try dialogue.handshake()
        #expect(dialogue.info.applicationProtocol == nil)
    }

    /// The dear part, the system's certificates, is read once; ten times the promised millisecond is still far below
    /// it.
    @Test func `a second context costs next to nothing`() throws {
        _ = try TLSContext(TLSSettings())
        let times = try (0..<9).map { _ in try ThreadClock.measure { _ = try TLSContext(TLSSettings()) } }.sorted()
        #expect(times[4] < .milliseconds(10))
    }

    @Test func `sessions outlive the context they came from`() throws {
        let dialogue = try Dialogue(root: CertificateAuthority())
        _ = try dialogue.handshake()
        try dialogue.seal([1])
        dialogue.server.receive(dialogue.takeOutgoing())
        #expect(try dialogue.server.read() == [1])
    }

    @Test(
        "a list of algorithms that names none is refused with the list",
        arguments: ["", "nonsense", "ECDHE\0", "TLS_AES_128_GCM_SHA256 x"])
    func refusedList(list: String) throws {
        let settings: [(WritableKeyPath<TLSSettings, String?>, TLSError.Setting)] = [
            (\.cipherList, .cipherList(list)), (\.cipherSuites, .cipherSuites(list)), (\.groups, .groups(list)),
        ]
        for (setting, reason) in settings {
            var configuration = TLSSettings()
            configuration[keyPath: setting] = list
            let error = try #require(throws: TLSError.self) { try TLSContext(configuration) }
            #expect(error.reason == .invalidConfiguration(reason))
            #expect(error.description.contains("cipher suite") || error.description.contains("groups"))
            #expect(OpenSSLError.drain().isEmpty)
        }
    }

    @Test func `chosen cipher suites are the only ones offered`() throws {
        let new = try Dialogue(root: CertificateAuthority()) { $0.cipherSuites = "TLS_CHACHA20_POLY1305_SHA256" }
        _ = try new.handshake()
        #expect(new.info.cipher == "TLS_CHACHA20_POLY1305_SHA256")
        let old = try Dialogue(root: CertificateAuthority(), server: .init(maximum: TLS1_2_VERSION)) {
            $0.cipherList = "nonsense:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305"
        }
        _ = try old.handshake()
        #expect(old.info.cipher.hasSuffix("CHACHA20-POLY1305"))
    }

    @Test func `chosen groups are the only ones offered`() throws {
        for (group, passes) in [("P-384", true), ("X25519", false)] {
            let dialogue = try Dialogue(root: CertificateAuthority(), server: .init(groups: group)) {
                $0.groups = "P-384:P-521"
            }
            dialogue.server.receive(try dialogue.firstFlight())
            if passes {
                _ = try dialogue.server.handshake()
            } else {
                #expect(throws: ServerEngine.Failure.self) { try dialogue.server.handshake() }
            }
        }
    }

    @Test func `given revocation lists count for a policy that checks lists, and for no other`() throws {
        let root = try CertificateAuthority()
        let identity = try root.issue()
        let lists = [try CertificateRevocationList(der: root.revocationList(revoking: [identity]))]
        let byLists = ServerTrustPolicy.performRevokedEvaluation(
            validateHost: true, revocationFlags: [.crl, .networkAccessDisabled])
        for (policy, passes) in [(byLists, false), (.performDefaultEvaluation(validateHost: true), true)] {
            let dialogue = try Dialogue(identity: identity, anchors: [root], policy: policy) {
                $0.revocationLists = lists
            }
            if passes {
                _ = try dialogue.handshake()
            } else {
                let error = try #require(throws: TLSError.self) { try dialogue.handshake() }
                if case .revoked = error.trustFailure?.reason { continue }
                Issue.record("another reason: \(error)")
            }
        }
    }
}
