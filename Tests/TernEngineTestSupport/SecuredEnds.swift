// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import TernEngine
@testable import TernIO
@testable import TernTLS
@testable import TernTesting

/// A transport that has shaken hands, and the server at its other end, which reads only what a test has it read. For
/// one thread at a time.
final class SecuredEnds: @unchecked Sendable {
    let transport: Transport
    private let server: TLSServerSession
    private let peer: Socket
    /// The transport's end again.
    let descriptor: Descriptor

    init() throws {
        let authority = try CertificateAuthority()
        let ends = try Self.connected(SOCK_STREAM)
        descriptor = Descriptor(owning: dup(ends[0]))
        peer = Socket(descriptor: Descriptor(owning: ends[1]))
        transport = Transport(
            socket: Socket(descriptor: Descriptor(owning: ends[0])), tls: try Self.session(trusting: authority))
        server = try #require(TLSServerSession(try TLSServerContext(authority.issue(), .init())))
        _ = try transport.shakeHands(with: [])
        try transport.flush()
        server.feed(try peer.receivePacket())
        _ = try server.shakeHands()
        #expect(try transport.shakeHands(with: server.takeOutput()) == .complete)
        try transport.flush()
        server.feed(try peer.receivePacket())
        _ = try server.shakeHands()
    }

    /// Sends until the kernel takes nothing more.
    func blockSending() throws {
        let piece = [UInt8](repeating: 7, count: 1 << 20)
        while try unsafe piece.withUnsafeBytes({ try unsafe transport.send($0) }) > 0 {}
    }

    /// Has the transport open a request for new keys, and data enough to be allowed one.
    func receiveKeyUpdate() throws {
        var plaintext = [UInt8](repeating: 0, count: 16384)
        try server.updateKeys()
        let ciphertext = try sealed([UInt8](repeating: 7, count: 1024))
        var offset = 0
        while offset < ciphertext.count {
            _ = try unsafe plaintext.withUnsafeMutableBytes { target in
                try unsafe ciphertext.withUnsafeBytes { try unsafe transport.open($0, from: &offset, into: target) }
            }
        }
    }

    /// Leaves a request for new keys there.
    func requestNewKeys() throws {
        try server.updateKeys()
        try sendRaw(server.takeOutput())
    }

    /// Leaves a close_notify there.
    func closeServer() throws {
        server.notifyClose()
        try sendRaw(server.takeOutput())
    }

    /// Leaves bytes there as they are.
    func sendRaw(_ bytes: [UInt8]) throws {
        _ = try unsafe bytes.withUnsafeBytes { try unsafe peer.send($0) }
    }

    /// Leaves data in the transport's kernel.
    func sendFromServer(_ bytes: [UInt8]) throws {
        _ = try unsafe sealed(bytes).withUnsafeBytes { try unsafe peer.send($0) }
    }

    /// Leaves data in the transport's kernel, each byte in a record of its own.
    func sendSingly(_ bytes: [UInt8]) throws { try sendRaw(bytes.flatMap { try sealed([$0]) }) }

    private func sealed(_ bytes: [UInt8]) throws -> [UInt8] {
        try server.write(bytes)
        return server.takeOutput()
    }

    static func session(trusting authority: CertificateAuthority) throws -> TLSSession {
        var configuration = TLSSettings()
        configuration.anchors = .only([try X509Certificate(pem: authority.certificatePEM)])
        return try TLSSession(
            context: TLSContext(configuration), host: "localhost", policy: .performDefaultEvaluation(validateHost: true)
        )
    }

    /// Two descriptors with nothing but the kernel between them.
    static func connected(_ type: __socket_type) throws -> [Int32] {
        var ends: [Int32] = [0, 0]
        try #require(
            unsafe socketpair(AF_UNIX, Int32(type.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
        return ends
    }
}

extension Transport {
    func shakeHands(with ciphertext: [UInt8]) throws -> HandshakeProgress {
        var offset = 0
        return try unsafe ciphertext.withUnsafeBytes { try unsafe shakeHands($0, from: &offset) }
    }
}

extension Socket {
    borrowing func receivePacket() throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let result = try unsafe buffer.withUnsafeMutableBytes { try unsafe receive(into: $0) }
        guard case .bytes(let count) = result else { return [] }
        return Array(buffer.prefix(count))
    }
}
