// SPDX-License-Identifier: Apache-2.0
// Safety: socket addresses are passed to the kernel by pointers that live for the call, with their own size.
import Dispatch
import Glibc
import TernLock
import TernTesting

/// A loopback port that takes no more connections: it listens, never accepts, and its backlog is full, so that the
/// kernel leaves every further SYN without an answer.
final class BlackHole: Sendable {
    let port: UInt16
    private let listener: Int32
    /// What fills the backlog.
    private let fillers: Lock<[Int32]>

    init() throws(ScriptedOriginError) {
        let listener = try Self.socket()
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        guard unsafe Self.lend(&address, { unsafe bind(listener, $0, $1) }) == 0, listen(listener, 0) == 0 else {
            throw .system(call: "listen", errno: errno)
        }
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = unsafe Self.lend(&address) { pointer, _ in
            unsafe getsockname(listener, UnsafeMutablePointer(mutating: pointer), &size)
        }
        port = UInt16(bigEndian: address.sin_port)
        var fillers: [Int32] = []
        // A backlog of n holds n + 1 connections.
        for _ in 0..<3 {
            let filler = try Self.socket()
            _ = unsafe Self.lend(&address) { unsafe connect(filler, $0, $1) }
            fillers.append(filler)
        }
        self.listener = listener
        self.fillers = Lock(fillers)
    }

    deinit {
        close(listener)
        closeFillers()
    }

    private func closeFillers() {
        fillers.withLock { fillers in
            for filler in fillers { close(filler) }
            fillers = []
        }
    }

    /// Lets connections in after all, and sends each of them `text` without being asked, or closes it if there is none;
    /// until `condition` holds. On a thread of its own: those of Swift's tasks are few, and other work needs them
    /// meanwhile.
    func letIn(saying text: String, until condition: @escaping @Sendable () -> Bool) async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                self.letInHere(saying: text, until: condition)
                continuation.resume()
            }
        }
    }

    private func letInHere(saying text: String, until condition: () -> Bool) {
        // Room for all at once: a connection without room tries again seconds later.
        listen(listener, 16)
        // Gone for good: a test that looks for an end among the connections to this port must not find these.
        closeFillers()
        var accepted: [Int32] = []
        while !condition() {
            var entry = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&entry, 1, 10) == 1 else { continue }
            let connection = accept(listener, nil, nil)
            if connection < 0 { continue }
            accepted.append(connection)
            if text.isEmpty {
                shutdown(connection, Int32(SHUT_WR))
            } else {
                _ = unsafe send(connection, text, text.utf8.count, 0)
            }
        }
        for connection in accepted { close(connection) }
    }

    var url: String { "http://127.0.0.1:\(port)/" }

    private static func socket() throws(ScriptedOriginError) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = Glibc.socket(AF_INET, type, 0)
        guard descriptor >= 0 else { throw .system(call: "socket", errno: errno) }
        return descriptor
    }

    private static func lend(
        _ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
