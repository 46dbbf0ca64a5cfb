// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL
import TernTLS
import TernTesting
import Testing

struct TLSSessionTests {
    let root: CertificateAuthority

    init() throws { root = try CertificateAuthority() }

    static let versions: [TLSProtocolVersion] = [.v1_2, .v1_3]

    private func dialogue(_ version: TLSProtocolVersion) throws -> Dialogue {
        try Dialogue(root: root) {
            $0.minimumVersion = version
            $0.maximumVersion = version
        }
    }

    @Test(arguments: versions) func `a handshake negotiates, trusts and explains`(version: TLSProtocolVersion) throws {
        let dialogue = try dialogue(version)
        _ = try dialogue.handshake()
        #expect(dialogue.info.version == version.description)
        #expect(!dialogue.info.cipher.isEmpty)
        #expect(!dialogue.info.resumed)
        #expect(dialogue.info.applicationProtocol == "http/1.1")
        #expect(dialogue.server.serverName == "localhost")
        #expect(dialogue.trust?.verdict == .accepted)
        #expect(dialogue.trust?.verifiedKeys.last?.pin == root.pin)
    }

    /// In TLS 1.2 the names of ECDSA mean the hash alone: there OpenSSL signs with SHA-256 whatever the curve.
    @Test(
        arguments: [
            (KeyKind.p256, "ecdsa_secp256r1_sha256", "ecdsa_secp256r1_sha256"),
            (.p384, "ecdsa_secp256r1_sha256", "ecdsa_secp384r1_sha384"),
            (.rsa(bits: 2048), "rsa_pss_rsae_sha256", "rsa_pss_rsae_sha256"), (.ed25519, "ed25519", "ed25519"),
        ])
    func `the group of the key exchange and the server's signature are told`(
        key: KeyKind, older: String, latest: String
    ) throws {
        for (version, signature) in [(TLSProtocolVersion.v1_2, older), (.v1_3, latest)] {
            let dialogue = try Dialogue(root: root, leaf: LeafRequest(key: key), server: .init(groups: "P-521:P-384")) {
                $0.minimumVersion = version
                $0.maximumVersion = version
                $0.groups = "P-256:P-384"
            }
            _ = try dialogue.handshake()
            #expect(dialogue.info.group == "secp384r1")
            #expect(dialogue.info.signatureAlgorithm == signature, "\(version)")
        }
    }

    @Test func `without a common version the handshake fails with the peer's alert`() throws {
        let dialogue = try Dialogue(root: root, server: .init(maximum: TLS1_2_VERSION)) { $0.minimumVersion = .v1_3 }
        dialogue.server.receive(try dialogue.firstFlight())
        #expect(throws: ServerEngine.Failure.self) { try dialogue.server.handshake() }
        do {
            _ = try dialogue.feedHandshake(dialogue.server.send())
            Issue.record("accepted")
        } catch let error as TLSError {
            guard case .alert(let alert) = error.reason else { throw error }
            #expect(alert.code == 70)
            #expect(error.description.contains("protocol_version"))
        }
    }

    @Test(arguments: versions) func `everything works one byte at a time`(version: TLSProtocolVersion) throws {
        let dialogue = try dialogue(version)
        dialogue.step = 1
        let rest = try dialogue.handshake()
        #expect(try dialogue.open(rest) == ([], false))
        try dialogue.server.write(Array("hello".utf8))
        #expect(try dialogue.open(dialogue.server.send()) == (Array("hello".utf8), false))
        dialogue.server.shutdown()
        #expect(try dialogue.open(dialogue.server.send()) == ([], true))
    }

    @Test(arguments: versions) func `both directions carry a large body`(version: TLSProtocolVersion) throws {
        let dialogue = try dialogue(version)
        let rest = try dialogue.handshake()
        let body = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        try dialogue.seal(body)
        #expect(dialogue.outgoingCount > body.count)
        dialogue.server.receive(dialogue.takeOutgoing())
        #expect(try dialogue.server.read() == body)
        try dialogue.server.write(body)
        let (received, ended) = try dialogue.open(rest + dialogue.server.send())
        #expect(received == body)
        #expect(!ended)
    }

    @Test(arguments: [1, 7, 100, 16384]) func `many small records arrive through any plaintext buffer`(capacity: Int)
        throws
    {
        let dialogue = try dialogue(.v1_3)
        var ciphertext = try dialogue.handshake()
        var expected: [UInt8] = []
        for index in 0..<500 {
            let record = Array("record \(index);".utf8)
            expected += record
            try dialogue.server.write(record)
            ciphertext += dialogue.server.send()
        }
        #expect(try dialogue.open(ciphertext, capacity: capacity).bytes == expected)
    }

    @Test func `reports whether bytes wait to be opened`() throws {
        let dialogue = try dialogue(.v1_3)
        _ = try dialogue.open(try dialogue.handshake())
        #expect(!dialogue.hasPending)
        try dialogue.server.write(Array("ten bytes.".utf8))
        let record = dialogue.server.send()
        #expect(try dialogue.open(Array(record.prefix(8))).bytes.isEmpty)
        #expect(dialogue.hasPending, "part of a record")
        func open(_ ciphertext: [UInt8], room: Int) throws -> OpenResult {
            var (offset, plaintext) = (0, [UInt8](repeating: 0, count: room))
            return try unsafe ciphertext.withUnsafeBytes { ciphertext in
                try unsafe plaintext.withUnsafeMutableBytes { plaintext in
                    try unsafe dialogue.client.open(ciphertext, from: &offset, into: plaintext)
                }
            }
        }
        #expect(try open(Array(record.dropFirst(8)), room: 4) == .bytes(4))
        #expect(dialogue.hasPending, "the rest of what a record held")
        #expect(try open([], room: 16) == .bytes(6))
        #expect(!dialogue.hasPending)
    }

    @Test func `bytes behind the handshake stay for open`() throws {
        let dialogue = try dialogue(.v1_2)
        // TLS 1.2: the server's last flight and its first data in one window.
        dialogue.server.receive(try dialogue.firstFlight())
        _ = try dialogue.server.handshake()
        _ = try dialogue.feedHandshake(dialogue.server.send())
        dialogue.server.receive(dialogue.takeOutgoing())
        #expect(try dialogue.server.handshake())
        try dialogue.server.write(Array("early".utf8))
        let window = dialogue.server.send()
        let (progress, offset) = try dialogue.feedHandshake(window)
        #expect(progress == .complete)
        #expect(offset < window.count)
        #expect(try dialogue.open(Array(window[offset...])).bytes == Array("early".utf8))
    }

    @Test func `sealing nothing sends nothing`() throws {
        let dialogue = try dialogue(.v1_3)
        _ = try dialogue.handshake()
        try dialogue.seal([])
        #expect(!dialogue.hasOutgoing)
    }

    @Test func `what the socket does not take stays in order`() throws {
        let dialogue = try dialogue(.v1_3)
        _ = try dialogue.handshake()
        try dialogue.seal(Array("first ".utf8))
        var sent: [UInt8] = []
        func takeFew(_ waiting: UnsafeRawBufferPointer) -> Int {
            let part = unsafe Array(waiting.prefix(5))
            sent += part
            return part.count
        }
        unsafe dialogue.client.drainOutgoing(takeFew)
        try dialogue.seal(Array("second".utf8))
        while dialogue.hasOutgoing { unsafe dialogue.client.drainOutgoing(takeFew) }
        dialogue.server.receive(sent)
        #expect(try dialogue.server.read() == Array("first second".utf8))
    }

    @Test func `a send that reports nonsense loses nothing`() throws {
        let dialogue = try dialogue(.v1_3)
        _ = try dialogue.handshake()
        try dialogue.seal(Array("x".utf8))
        let waiting = dialogue.outgoingCount
        unsafe dialogue.client.drainOutgoing { _ in -1 }
        #expect(dialogue.outgoingCount == waiting)
        unsafe dialogue.client.drainOutgoing { _ in Int.max }
        #expect(!dialogue.hasOutgoing)
    }

    @Test(arguments: versions) func `close_notify is an end, and a bare end of ciphertext is a truncation`(
        version: TLSProtocolVersion
    ) throws {
        let closed = try dialogue(version)
        var rest = try closed.handshake()
        try closed.server.write(Array("all".utf8))
        closed.server.shutdown()
        #expect(try closed.open(rest + closed.server.send()) == (Array("all".utf8), true))
        try closed.client.endOfCiphertext()

        let cut = try dialogue(version)
        rest = try cut.handshake()
        try cut.server.write(Array("all".utf8))
        #expect(try cut.open(rest + cut.server.send()) == (Array("all".utf8), false))
        do throws(TLSError) {
            try cut.client.endOfCiphertext()
            Issue.record("a truncation went unnoticed")
        } catch {
            guard case .truncated = error.reason else { throw error }
        }
    }

    @Test(arguments: versions) func `closing notifies the peer, once, and seals no more`(version: TLSProtocolVersion)
        throws
    {
        let dialogue = try dialogue(version)
        _ = try dialogue.handshake()
        dialogue.client.close()
        let notify = dialogue.takeOutgoing()
        #expect(!notify.isEmpty)
        dialogue.client.close()
        #expect(!dialogue.hasOutgoing)
        dialogue.server.receive(notify)
        #expect(try dialogue.server.read() == nil)
        #expect(throws: TLSError.self) { try dialogue.seal([1]) }
    }

    @Test func `reading continues after a close`() throws {
        let dialogue = try dialogue(.v1_3)
        let rest = try dialogue.handshake()
        dialogue.client.close()
        try dialogue.server.write(Array("late".utf8))
        #expect(try dialogue.open(rest + dialogue.server.send()).bytes == Array("late".utf8))
    }

    /// RFC 8446 §4.6.3: the reply must precede the next data, and OpenSSL sends it then.
    @Test func `a key update is answered before the next data`() throws {
        let dialogue = try dialogue(.v1_3)
        var ciphertext = try dialogue.handshake()
        dialogue.server.updateKey()
        try dialogue.server.write(Array("new key".utf8))
        ciphertext += dialogue.server.send()
        #expect(try dialogue.open(ciphertext).bytes == Array("new key".utf8))
        try dialogue.seal(Array("likewise".utf8))
        dialogue.server.receive(dialogue.takeOutgoing())
        #expect(try dialogue.server.read() == Array("likewise".utf8))
    }

    @Test func `a record that was tampered with ends the session for good`() throws {
        let dialogue = try dialogue(.v1_3)
        let rest = try dialogue.handshake()
        _ = try dialogue.open(rest)
        try dialogue.server.write(Array("secret".utf8))
        var ciphertext = dialogue.server.send()
        ciphertext[ciphertext.count - 1] ^= 1
        for _ in 0..<2 {
            do {
                _ = try dialogue.open(ciphertext)
                Issue.record("a forged record was opened")
            } catch let error as TLSError {
                guard case .protocolViolation = error.reason else { throw error }
                #expect(!error.openSSL.isEmpty)
            }
        }
        #expect(dialogue.hasOutgoing)  // bad_record_mac
    }

    @Test func `plain HTTP in place of a handshake is an error with OpenSSL's words`() throws {
        let dialogue = try dialogue(.v1_3)
        _ = try dialogue.firstFlight()
        do {
            _ = try dialogue.feedHandshake(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
            Issue.record("accepted")
        } catch let error as TLSError {
            guard case .handshakeFailed = error.reason else { throw error }
            #expect(error.description.contains("wrong version number"))
        }
    }

    @Test func `application data before the handshake is refused without harm`() throws {
        let dialogue = try dialogue(.v1_3)
        #expect(throws: TLSError.self) { try dialogue.seal([1]) }
        #expect(throws: TLSError.self) { try dialogue.open([1]) }
        dialogue.client.close()
        _ = try dialogue.handshake()
    }

    /// OpenSSL's error queue belongs to the thread; a leftover turns "want more" into "failed".
    @Test func `an error that other code left on the thread is not the session's`() throws {
        func litter() {
            var garbage = unsafe UnsafePointer<UInt8>(bitPattern: 0)
            unsafe d2i_X509(nil, &garbage, 0)
            let empty = unsafe BIO_new(BIO_s_mem())
            unsafe PEM_read_bio_X509(empty, nil, nil, nil)
            unsafe BIO_free(empty)
            #expect(ERR_peek_error() != 0)
        }
        let dialogue = try dialogue(.v1_3)
        litter()
        #expect(try dialogue.feedHandshake([]).progress == .needMoreBytes)
        let rest = try dialogue.handshake()
        #expect(try dialogue.open(rest) == ([], false))
        try dialogue.server.write([7])
        let ciphertext = dialogue.server.send()
        litter()
        #expect(try dialogue.open(ciphertext) == ([7], false))
        litter()
        try dialogue.seal([1])
        litter()
        dialogue.client.close()
        #expect(ERR_peek_error() == 0)
    }

    @Test func `one session's failure leaves the next one alone`() throws {
        for _ in 0..<20 {
            let broken = try dialogue(.v1_3)
            _ = try broken.firstFlight()
            #expect(throws: TLSError.self) { try broken.feedHandshake([UInt8](repeating: 0x41, count: 64)) }
            let healthy = try dialogue(.v1_3)
            let rest = try healthy.handshake()
            try healthy.server.write([7])
            #expect(try healthy.open(rest + healthy.server.send()).bytes == [7])
        }
    }
}
