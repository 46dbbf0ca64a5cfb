// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import TernIO

@Suite(.timeLimit(.minutes(1))) struct SocketFileTests {
    @Test func `a range of a file arrives unchanged`() throws {
        let connection = try Connection()
        let file = try TemporaryFile(Array("hello world".utf8))
        let source = try FileSource(path: file.path)
        #expect(try connection.socket.send(source, at: 6, count: 3) == .bytes(3))
        #expect(try connection.socket.send(source, at: 0, count: 5) == .bytes(5))
        let peer = Socket(descriptor: Descriptor(owning: dup(connection.peer.descriptor.rawValue)))
        #expect(try peer.receiveText().text == "worhello")
    }

    @Test func `a Unix domain socket takes it as well`() throws {
        let listener = try UnixListener(UnixSocketName(path: UnixListener.freshPath()))
        let socket = try Socket.connecting(to: listener.address)
        let peer = Socket(descriptor: try listener.accept())
        let file = try TemporaryFile(Array("hello".utf8))
        #expect(try socket.send(FileSource(path: file.path), at: 1, count: 4) == .bytes(4))
        #expect(try peer.receiveText().text == "ello")
    }

    @Test func `sending stops when the peer does not read, and continues with the very next byte when it does`() throws
    {
        let connection = try Connection()
        let bytes = (0..<16 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
        let file = try TemporaryFile(bytes)
        let source = try FileSource(path: file.path)
        var (sent, blocked) = (0, 0)
        var received: [UInt8] = []
        while sent < bytes.count {
            switch try connection.socket.send(source, at: Int64(sent), count: bytes.count - sent) {
            case .bytes(let count): sent += count
            case .wouldBlock:
                blocked += 1
                received += try connection.peer.received(sent - received.count)
            case .endOfStream: Issue.record("the file ends at \(sent)")
            }
        }
        received += try connection.peer.received(sent - received.count)
        #expect(blocked > 0)
        #expect(received == bytes)
    }

    @Test func `a file that becomes shorter while it is sent ends, every time it is asked`() throws {
        let connection = try Connection()
        let file = try TemporaryFile([UInt8](repeating: 1, count: 10_000))
        let source = try FileSource(path: file.path)
        #expect(try connection.socket.send(source, at: 0, count: 4000) == .bytes(4000))
        file.truncate(to: 6000)
        #expect(try connection.socket.send(source, at: 4000, count: 6000) == .bytes(2000))
        #expect(try connection.socket.send(source, at: 6000, count: 4000) == .endOfStream)
        file.truncate(to: 10)
        #expect(try connection.socket.send(source, at: 6000, count: 4000) == .endOfStream)
    }

    @Test func `no bytes are no call, and fewer are none either`() throws {
        let connection = try Connection()
        let file = try TemporaryFile()
        let source = try FileSource(path: file.path)
        #expect(try connection.socket.send(source, at: 0, count: 0) == .wouldBlock)
        #expect(try connection.socket.send(source, at: 0, count: -1) == .wouldBlock)
        #expect(try connection.socket.send(source, at: 0, count: .max) == .endOfStream)
    }

    @Test func `what is no file is an error that names the call`() throws {
        let connection = try Connection()
        #expect(throws: SystemCallError(.sendfile, code: EINVAL)) {
            _ = try connection.socket.send(FileSource(path: "/tmp"), at: 0, count: 10)
        }
        #expect(throws: SystemCallError(.sendfile, code: EINVAL)) {
            _ = try connection.socket.send(FileSource(path: "/proc/self/exe"), at: -1, count: 10)
        }
    }

    @Test func `sending to a peer that is gone is an error and no signal, on any thread`() async throws {
        await #expect(processExitsWith: .success) {
            _ = signal(SIGPIPE, SIG_DFL)
            let file = try TemporaryFile([UInt8](repeating: 1, count: 100))
            let listener = try Listener()
            let socket = try Socket.connecting(to: listener.address)
            try Peer(descriptor: try listener.accept()).reset()
            #expect(throws: SystemCallError(.recv, code: ECONNRESET)) { _ = try socket.receiveText() }
            let blocked = Census.blockedSignals()
            #expect(throws: SystemCallError(.sendfile, code: EPIPE)) {
                _ = try socket.send(FileSource(path: file.path), at: 0, count: 100)
            }
            #expect(Census.blockedSignals() == blocked)
        }
    }
}

extension Peer {
    /// Waits for `count` bytes.
    fileprivate func received(_ count: Int) throws -> [UInt8] {
        let raw = descriptor.rawValue
        var bytes = [UInt8](repeating: 0, count: count)
        if count == 0 { return bytes }
        let result = try unsafe bytes.withUnsafeMutableBytes { buffer in
            try SystemCall.transfer(.recv) { unsafe recv(raw, buffer.baseAddress, buffer.count, Int32(MSG_WAITALL)) }
        }
        #expect(result == .bytes(count))
        return bytes
    }
}
