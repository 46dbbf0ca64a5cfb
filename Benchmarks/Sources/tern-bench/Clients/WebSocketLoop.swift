// SPDX-License-Identifier: Apache-2.0
// Safety: the message is lent for the call, with its own size; the pointer belongs to this object.

internal import CCurlMulti
internal import CWebSocket
internal import Foundation

/// The least that a client of WebSockets does, in C.
@safe
final class WebSocketLoop: BenchmarkClient, @unchecked Sendable {
    // Used by one caller after the other.
    private let client: OpaquePointer

    init(_ load: Load) throws {
        guard let messages = load.messages, let port = URL(string: load.url)?.port else {
            throw PeerUnavailable(reason: "no WebSocket: \(load.url)")
        }
        let message = messages.message(for: load.bodySize)
        let client = unsafe message.withUnsafeBufferPointer { message in
            unsafe web_socket_client_new(
                web_socket_options(
                    port: UInt16(port), connections: Int32(load.connections), message: message.baseAddress,
                    length: message.count, is_text: messages.areTexts, answer_length: UInt64(load.bodySize)))
        }
        guard let client = unsafe client else { throw PeerUnavailable(reason: "the server opens no WebSocket") }
        unsafe self.client = client
    }

    deinit { unsafe web_socket_client_free(client) }

    func run(until deadline: UInt64) async -> Tally {
        unsafe Tally { unsafe web_socket_client_run(client, deadline, $0) }
    }
}
