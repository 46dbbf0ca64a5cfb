// SPDX-License-Identifier: Apache-2.0
// Safety: the path is lent for the call.

internal import CWebSocket
internal import Foundation
internal import Glibc

/// A server of WebSockets in C, on a free loopback port and a thread of this process: it sends binary messages back, and
/// answers a text with as many bytes as that says.
final class WebSocketServer: Sendable {
    let url: String

    /// - Parameter file: Where the bytes are from, as those of a download are.
    init(serving file: URL) throws {
        let descriptor = unsafe open(file.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw PeerUnavailable(reason: "\(file.path) cannot be read: errno \(errno)") }
        let (listener, port) = try FreePort.listen()
        url = "http://127.0.0.1:\(port)/"
        Thread.detachNewThread { web_socket_serve(listener, descriptor) }
    }
}
