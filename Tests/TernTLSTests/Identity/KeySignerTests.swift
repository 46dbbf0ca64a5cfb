// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import Dispatch
import TernLock
import TernTesting
import Testing

@testable import TernTLS

/// Client certificates whose key is elsewhere.
struct KeySignerTests {
    private struct Refusal: Error {}

    private let root: CertificateAuthority

    init() throws { root = try CertificateAuthority() }

    private func dialogue(
        _ version: TLSProtocolVersion, _ identity: ClientIdentity, policy: ServerTrustPolicy? = nil
    ) throws -> Dialogue {
        let context = try Dialogue.context(anchors: [root]) {
            $0.minimumVersion = version
            $0.maximumVersion = version
            $0.identity = identity
        }
        let dialogue = try Dialogue(
            identity: root.issue(.localhost), context: context,
            policy: policy ?? .performDefaultEvaluation(validateHost: true))
        unsafe SSL_set_verify(
            dialogue.server.ssl, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, { _, _ in 1 })
        return dialogue
    }

    /// An identity whose key is asked by `sign`.
    private func identity(
        _ own: Identity, sign: @escaping @Sendable (SigningRequest) async throws -> [UInt8]
    ) throws -> ClientIdentity {
        try ClientIdentity(certificates: X509Certificate.all(inPEM: own.chainPEM), signature: sign)
    }

    private func own(_ key: KeyKind = .p256) throws -> Identity { try root.issue(LeafRequest(key: key)) }

    private func failure(_ dialogue: Dialogue) -> TLSError? {
        do {
            _ = try dialogue.handshake()
            return nil
        } catch { return error as? TLSError }
    }

    private func hasClientCertificate(_ dialogue: Dialogue) -> Bool {
        unsafe SSL_get0_peer_certificate(dialogue.server.ssl) != nil
    }

    @Test(arguments: TLSSessionTests.versions, [.p256, .p384, .p521, .rsa(bits: 2048), KeyKind.rsa(bits: 3072)])
    func `the closure signs in place of the key`(version: TLSProtocolVersion, key: KeyKind) throws {
        let own = try own(key)
        let requests = Lock<[SigningRequest]>([])
        let identity = try identity(own) { request in
            requests.withLock { $0.append(request) }
            await Task.yield()
            return try own.signature(of: request.digest, isPSS: request.algorithm == .rsaPSS)
        }
        let dialogue = try dialogue(version, identity)
        _ = try dialogue.handshake()
        #expect(dialogue.signatures > 0 && hasClientCertificate(dialogue))
        let request = try #require(requests.withLock { $0.first })
        #expect(requests.withLock { $0.count } == 1 && request.certificate == identity.certificates[0])
        switch key {
        case .rsa: #expect(request.algorithm != .ecdsa && (version == .v1_2 || request.algorithm == .rsaPSS))
        default: #expect(request.algorithm == .ecdsa)
        }
        #expect(request.digest.count == [.sha256: 32, .sha384: 48, .sha512: 64][request.hash])
    }

    @Test(arguments: TLSSessionTests.versions)
    func `what is no signature of the key is not sent, and the error says so`(version: TLSProtocolVersion) throws {
        let (own, other) = (try own(), try own())
        let wrong: [@Sendable (SigningRequest) async throws -> [UInt8]] = [
            { try other.signature(of: $0.digest, isPSS: false) }, { _ in [] },
            { _ in [UInt8](repeating: 7, count: 70) },
            { try own.signature(of: $0.digest.reversed(), isPSS: false) },
            { _ in [UInt8](repeating: 0x30, count: 5000) },
            { try own.signature(of: $0.digest, isPSS: false) + [0] },
        ]
        for sign in wrong {
            let dialogue = try dialogue(version, identity(own, sign: sign))
            #expect(failure(dialogue)?.reason == .signing(.invalidSignature))
            #expect(!hasClientCertificate(dialogue))
        }
        let thrown = try dialogue(version, identity(own) { _ in throw Refusal() })
        #expect(failure(thrown)?.reason == .signing(.refused("Refusal()")))
        #expect(
            try dialogue(version, identity(own) { try own.signature(of: $0.digest, isPSS: false) }).refusal() == nil)
    }

    @Test(arguments: TLSSessionTests.versions)
    func `a server that is refused, and one for which the identity is not, do not lead to a question`(
        version: TLSProtocolVersion
    ) throws {
        var identity = try identity(own()) { _ in
            Issue.record("asked")
            return []
        }
        #expect(try dialogue(version, identity, policy: .composite([])).refusal() == "no-policy")
        identity.hosts = [try HostPattern("other.test")]
        let dialogue = try dialogue(version, identity)
        #expect(failure(dialogue) == nil || dialogue.signatures == 0)
        #expect(dialogue.signatures == 0)
    }

    @Test func `only RSA and keys on curves can be elsewhere`() throws {
        let certificates = try X509Certificate.all(inPEM: own(.ed25519).chainPEM)
        let error = #expect(throws: ClientIdentityError.self) {
            try ClientIdentity(certificates: certificates) { _ in [] }
        }
        #expect(error?.reason == .unsupportedKey)
        #expect(throws: ClientIdentityError.self) { try ClientIdentity(certificates: []) { _ in [] } }
    }

    @Test(arguments: TLSSessionTests.versions)
    func `a step that is cancelled ends, however long the closure waits, and cancels it`(
        version: TLSProtocolVersion
    ) async throws {
        let (silence, _) = AsyncStream.makeStream(of: Never.self)
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        let (questions, ask) = AsyncStream.makeStream(of: Void.self)
        let identity = try identity(own()) { _ in
            ask.yield()
            for await _ in silence {}
            end.yield(Task.isCancelled)
            return []
        }
        let pending = try pending(try dialogue(version, identity))
        async let completed = Self.run(pending)
        for await _ in questions { break }
        pending.cancel()
        #expect(await completed.failure == .abandoned)
        for await isCancelled in ends {
            #expect(isCancelled)
            break
        }
        let unasked = try self.identity(own()) { _ in
            Issue.record("asked")
            return []
        }
        let early = try self.pending(try dialogue(version, unasked))
        early.cancel()
        #expect(early.run().failure == .abandoned)
    }

    /// On a thread that may block: those of tasks are few.
    private static func run(_ pending: PendingSignature) async -> CompletedSignature {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: pending.run()) }
        }
    }

    /// The step of a session that is gone.
    private func pending(_ dialogue: Dialogue) throws -> PendingSignature {
        for _ in 0..<10 {
            let progress = try dialogue.feedHandshake(dialogue.server.send()).progress
            if case .needSignature(let pending) = progress {
                #expect(!dialogue.hasOutgoing && !dialogue.hasPending && dialogue.info.version.isEmpty)
                #expect(try dialogue.feedHandshake([]).progress == progress)
                return pending
            }
            dialogue.server.receive(dialogue.takeOutgoing())
            _ = try dialogue.server.handshake()
        }
        throw Dialogue.Trouble.tooManyTurns
    }

    @Test func `a step is done once, and outlives its session`() throws {
        let own = try own()
        let pending = try pending(
            dialogue(.v1_3, identity(own) { try own.signature(of: $0.digest, isPSS: false) }))
        #expect(pending.run().problem == SSL_ERROR_NONE)
        #expect(pending.run().problem == SSL_ERROR_SSL)
    }

    @Test(arguments: TLSSessionTests.versions, [KeyKind.p256, .rsa(bits: 2048), .ed25519])
    func `a key is found by its URI`(version: TLSProtocolVersion, key: KeyKind) throws {
        let own = try own(key)
        let files = try KeyFile(own.privateKeyPEM)
        let identity = try ClientIdentity(
            certificates: X509Certificate.all(inPEM: own.chainPEM), keyURI: "file:" + files.path)
        let dialogue = try dialogue(version, identity)
        _ = try dialogue.handshake()
        #expect(dialogue.signatures > 0 && hasClientCertificate(dialogue))
    }

    @Test func `a URI without a key is refused`() throws {
        let certificates = try X509Certificate.all(inPEM: own().chainPEM)
        let file = try KeyFile(try own().privateKeyPEM)
        for (uri, reason) in [
            ("file:/none", ClientIdentityError.Reason.noStoredKey), ("nothing:here", .noStoredKey), ("", .noStoredKey),
            ("pkcs11:token=none", .noStoredKey), ("a\0b", .noStoredKey), ("file:" + file.path, .keyMismatch),
        ] {
            let error = #expect(throws: ClientIdentityError.self) {
                try ClientIdentity(certificates: certificates, keyURI: uri)
            }
            #expect(error?.reason == reason, "\(uri)")
        }
    }
}

/// A file with a key, gone with the object.
private final class KeyFile {
    let path: String

    init(_ pem: String) throws {
        path = "/tmp/tern-key-\(UInt64.random(in: 0 ... .max)).pem"
        let file = unsafe BIO_new_file(path, "w")
        unsafe BIO_write(file, pem, Int32(pem.utf8.count))
        unsafe BIO_free(file)
    }

    deinit { unsafe remove(path) }
}
