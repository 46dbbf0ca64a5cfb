// SPDX-License-Identifier: Apache-2.0
// Safety: the port is written to a place that lives for the call.

internal import CCurlMulti
internal import Glibc

/// Ports on 127.0.0.1.
enum FreePort {
    /// A port without a listener at the moment.
    static func find() throws -> UInt16 {
        let (descriptor, port) = try bound()
        close(descriptor)
        return port
    }

    /// A socket that listens on one.
    static func listen() throws -> (descriptor: Int32, port: UInt16) {
        let (descriptor, port) = try bound()
        guard Glibc.listen(descriptor, SOMAXCONN) == 0 else {
            throw PeerUnavailable(reason: "cannot listen on loopback: errno \(errno)")
        }
        return (descriptor, port)
    }

    /// Whether a process accepts connections on it before five seconds have passed.
    static func becomesTaken(_ port: UInt16) -> Bool {
        for _ in 0..<500 {
            if loopback_accepts(port) { return true }
            usleep(10_000)
        }
        return false
    }

    private static func bound() throws -> (descriptor: Int32, port: UInt16) {
        var port: UInt16 = 0
        let descriptor = unsafe loopback_socket(&port)
        guard descriptor >= 0 else { throw PeerUnavailable(reason: "no free loopback port: errno \(errno)") }
        return (descriptor, port)
    }
}
