// SPDX-License-Identifier: Apache-2.0
import Glibc
import Testing

@testable import TernIO

@Suite(.timeLimit(.minutes(1))) struct SocketTests {
    // Receiving

    @Test func `nothing to receive is a value`() throws {
        let connection = try Connection()
        #expect(try connection.socket.receiveText().result == .wouldBlock)
    }

    @Test func `bytes come before the end of the stream that follows them`() throws {
        let listener = try Listener()
        let socket = try Socket.connecting(to: listener.address)
        let peer = Peer(descriptor: try listener.accept())
        try peer.send("last words")
        _ = consume peer
        let (first, text) = try socket.receiveText(limit: 4)
        #expect(first == .bytes(4))
        #expect(text == "last")
        #expect(try socket.receiveText().text == " words")
        #expect(try socket.receiveText().result == .endOfStream)
        #expect(try socket.receiveText().result == .endOfStream)
    }

    @Test func `room for nothing is not the end of the stream`() throws {
        let connection = try Connection()
        try connection.peer.send("x")
        #expect(try connection.socket.receiveText(limit: 0).result == .wouldBlock)
        #expect(try connection.socket.receiveText().text == "x")
    }

    @Test func `a reset is an error that names the call`() throws {
        let listener = try Listener()
        let socket = try Socket.connecting(to: listener.address)
        try Peer(descriptor: try listener.accept()).reset()
        #expect(throws: SystemCallError(.recv, code: ECONNRESET)) { _ = try socket.receiveText() }
    }

    @Test func `a look at the input leaves it there`() throws {
        let listener = try Listener()
        let socket = try Socket.connecting(to: listener.address)
        let peer = Peer(descriptor: try listener.accept())
        var looks = [socket.hasInput]
        try peer.send("x")
        looks.append(socket.hasInput)
        #expect(try socket.receiveText().text == "x")
        looks.append(socket.hasInput)
        _ = consume peer
        looks.append(socket.hasInput)
        #expect(try socket.receiveText().result == .endOfStream)
        #expect(looks == [false, true, false, true])
    }

    @Test func `checking a reset connection shows input, and keeps the error`() throws {
        let listener = try Listener()
        let socket = try Socket.connecting(to: listener.address)
        try Peer(descriptor: try listener.accept()).reset()
        let hasInput = socket.hasInput
        #expect(hasInput)
        #expect(throws: SystemCallError(.recv, code: ECONNRESET)) { _ = try socket.receiveText() }
    }

    // Sending

    @Test func `sending stops when the peer does not read, and continues when it does`() throws {
        let connection = try Connection()
        let chunk = String(repeating: "x", count: 64 * 1024)
        var sent = 0
        while case .bytes(let count) = try connection.socket.sendText(chunk) {
            sent += count
            try #require(sent < 1 << 30)
        }
        #expect(sent > 0)
        #expect(try connection.socket.sendText("x") == .wouldBlock)
        try connection.peer.discard(sent)
        #expect(try connection.socket.sendText("x") == .bytes(1))
    }

    @Test func `last words arrive before the end of the stream`() throws {
        let listener = try Listener()
        let socket = try Socket.connecting(to: listener.address)
        let peer = Socket(descriptor: try listener.accept())
        let sent = try unsafe Array("bye".utf8).withUnsafeBytes { try unsafe socket.sendLast($0) }
        #expect(sent == .bytes(3))
        _ = consume socket
        #expect(try peer.receiveText().text == "bye")
        #expect(try peer.receiveText().result == .endOfStream)
    }

    @Test func `no bytes are no call`() throws {
        let connection = try Connection()
        #expect(try connection.socket.sendText("") == .wouldBlock)
    }

    @Test func `sending to a peer that is gone is an error and no signal`() async throws {
        await #expect(processExitsWith: .success) {
            _ = signal(SIGPIPE, SIG_DFL)
            let listener = try Listener()
            let socket = try Socket.connecting(to: listener.address)
            try Peer(descriptor: try listener.accept()).reset()
            #expect(throws: SystemCallError(.recv, code: ECONNRESET)) { _ = try socket.receiveText() }
            #expect(throws: SystemCallError(.send, code: EPIPE)) { _ = try socket.sendText("x") }
        }
    }

    // Connecting

    @Test func `a connection knows both of its ends`() throws {
        let listener = try Listener()
        let socket = try Socket.connecting(to: listener.address)
        let local = try socket.finishConnecting()
        #expect(try socket.peerAddress() == listener.address)
        #expect(try socket.localAddress() == local)
        #expect(try socket.progress() == .connected(from: local))
        #expect(try socket.localAddress()?.host == "127.0.0.1")
        #expect(try socket.localAddress() != listener.address)
    }

    @Test(arguments: ["127.0.0.1", "::1"])
    func `a refused connection says so`(host: String) throws {
        let refusing = try Listener.refusing(host)
        #expect(throws: SystemCallError(.connect, code: ECONNREFUSED)) {
            try Socket.connecting(to: refusing.address).finishConnecting()
        }
        withExtendedLifetime(refusing) {}
    }

    @Test func `a connection to itself is a refused one`() throws {
        let refusing = try Listener.refusing()
        let raw = refusing.holder.descriptor.rawValue
        _ = try SystemCall.run(.connect) { unsafe refusing.address.withKernelForm { unsafe connect(raw, $0, $1) } }
        let socket = Socket(descriptor: Descriptor(owning: dup(raw)))
        #expect(try socket.peerAddress() == socket.localAddress())
        #expect(throws: SystemCallError(.connect, code: ECONNREFUSED)) { try socket.finishConnecting() }
    }

    @Test func `a socket without a peer is not taken for a connected one`() throws {
        let socket = Socket(descriptor: Descriptor(owning: Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)))
        #expect(throws: SystemCallError(.getpeername, code: ENOTCONN)) { try socket.finishConnecting() }
    }

    @Test func `it does not block, is not inherited, and does not wait to fill a segment`() throws {
        let connection = try Connection()
        let raw = connection.socket.descriptor.rawValue
        #expect(Glibc.fcntl(raw, F_GETFL) & O_NONBLOCK != 0)
        #expect(Glibc.fcntl(raw, F_GETFD) & FD_CLOEXEC != 0)
        #expect(option(raw, Int32(IPPROTO_TCP), TCP_NODELAY) != 0)
    }

    @Test func `a dead peer is noticed, by a socket that is asked to`() throws {
        let connection = try Connection()
        let raw = connection.socket.descriptor.rawValue
        try connection.socket.detectDeadPeer()
        #expect(option(raw, SOL_SOCKET, SO_KEEPALIVE) != 0)
        #expect(option(raw, Int32(IPPROTO_TCP), TCP_KEEPIDLE) == 45)
        #expect(option(raw, Int32(IPPROTO_TCP), TCP_KEEPINTVL) == 15)
        #expect(option(raw, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT) == 60_000)
    }

    // The Unix domain

    @Test(arguments: [40, 107, 108])
    func `a socket in the file system is connected to at once, and distinguished from its peer`(length: Int) throws {
        let path = UnixListener.freshPath(length: length)
        try talk(to: UnixListener(UnixSocketName(path: path)))
    }

    @Test func `a socket in the abstract space is connected to as well`() throws {
        try talk(to: UnixListener(UnixSocketName(abstract: UnixListener.freshPath(length: 107))))
    }

    private func talk(to listener: UnixListener) throws {
        let socket = try Socket.connecting(to: listener.address)
        #expect(try socket.progress() == .connected(from: nil))
        #expect(try socket.finishConnecting() == nil)
        try socket.detectDeadPeer()
        #expect(try socket.peerAddress() == listener.address)
        #expect(try socket.localAddress() == nil)
        let peer = Peer(descriptor: try listener.accept())
        try peer.send("hello")
        #expect(try socket.receiveText().text == "hello")
        #expect(try socket.sendText("x") == .bytes(1))
    }

    @Test func `a path without a socket, one without a listener and one without permission say so`() throws {
        let path = UnixListener.freshPath()
        let address = TransportAddress.unix(try UnixSocketName(path: path))
        let abstract = TransportAddress.unix(try UnixSocketName(abstract: path))
        #expect(throws: SystemCallError(.connect, code: ENOENT)) { _ = try Socket.connecting(to: address) }
        #expect(throws: SystemCallError(.connect, code: ECONNREFUSED)) { _ = try Socket.connecting(to: abstract) }
        let file = Descriptor(owning: unsafe open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600))
        defer { _ = unsafe unlink(path) }
        #expect(file.rawValue >= 0)
        #expect(throws: SystemCallError(.connect, code: ECONNREFUSED)) { _ = try Socket.connecting(to: address) }
    }

    @Test func `a path that one may not use says so`() async throws {
        await #expect(processExitsWith: .success) {
            let listener = try UnixListener(UnixSocketName(path: UnixListener.freshPath()))
            // Permissions do not count for root, so a process of its own becomes another user.
            if let path = listener.name.path { _ = unsafe chmod(path, 0) }
            if getuid() == 0 { _ = setuid(65_534) }
            #expect(throws: SystemCallError(.connect, code: EACCES)) { _ = try Socket.connecting(to: listener.address) }
        }
    }

    @Test func `a dropped socket closes`() throws {
        let listener = try Listener()
        let identity = try openAndDrop(listener)
        #expect(!Census.isOpen(identity))
    }
}

private func openAndDrop(_ listener: Listener) throws -> String {
    let socket = try Socket.connecting(to: listener.address)
    let identity = try #require(Census.identity(of: socket.descriptor.rawValue))
    #expect(Census.isOpen(identity))
    return identity
}

private func option(_ descriptor: Int32, _ level: Int32, _ name: Int32) -> Int32 {
    var value: Int32 = -1
    var length = socklen_t(MemoryLayout<Int32>.size)
    _ = unsafe getsockopt(descriptor, level, name, &value, &length)
    return value
}

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
