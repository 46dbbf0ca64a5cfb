// SPDX-License-Identifier: Apache-2.0
// Safety: OpenSSL reads and fills arrays of the sizes that it is told, or that it defines, within each call.

internal import CTernOpenSSL

/// The answer to a request for a WebSocket. A request that is no valid handshake gets a 400 in place of a 101.
public enum WebSocketHandshake: Sendable {
    /// 101, with these values of Sec-WebSocket-Protocol and Sec-WebSocket-Extensions, and further fields.
    case accept(subprotocol: String? = nil, extensions: String? = nil, fields: [(name: String, value: String)] = [])
    /// 101 with a wrong Sec-WebSocket-Accept, or without one.
    case acceptKey(String?)
    /// Something else, such as a 401, a 302, or a 101 of its own; the next request is then read.
    case respond([OriginStep])
}

extension [OriginStep] {
    /// Answers a request for a WebSocket, and runs the script on it if it is accepted: a ``ScriptedOrigin`` can open
    /// WebSockets at some paths.
    public static func webSocket(
        _ request: ReceivedRequest, _ handshake: WebSocketHandshake = .accept(),
        script: WebSocketScript = WebSocketScript()
    ) -> Self {
        guard let valid = request.webSocketAccept else {
            if case .respond(let steps) = handshake { return steps }
            return [.respond(status: 400, body: "not a WebSocket handshake")]
        }
        var fields = [(name: "Upgrade", value: "websocket"), (name: "Connection", value: "Upgrade")]
        func add(_ name: String, _ value: String?) { if let value { fields.append((name: name, value: value)) } }
        switch handshake {
        case .accept(let subprotocol, let extensions, let more):
            add("Sec-WebSocket-Accept", valid)
            add("Sec-WebSocket-Protocol", subprotocol)
            add("Sec-WebSocket-Extensions", extensions)
            fields += more
        case .acceptKey(let value): add("Sec-WebSocket-Accept", value)
        case .respond(let steps): return steps
        }
        return [.webSocket(script, head: OriginStep.head(101, "Switching Protocols", fields))]
    }
}

extension ReceivedRequest {
    /// The Sec-WebSocket-Accept that answers the request; nil if it is no valid handshake (RFC 6455 §4.2.1).
    public var webSocketAccept: String? {
        let keys = values(of: "sec-websocket-key")
        guard method == "GET", version == "HTTP/1.1", let key = keys.first, keys.count == 1, Self.isNonce(key),
            values(of: "sec-websocket-version") == ["13"], lists("websocket", in: "upgrade"),
            lists("upgrade", in: "connection")
        else { return nil }
        let text = Array("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)
        var digest = [UInt8](repeating: 0, count: 20)
        unsafe SHA1(text, text.count, &digest)
        // 28 characters and a NUL.
        var encoded = [UInt8](repeating: 0, count: 29)
        unsafe EVP_EncodeBlock(&encoded, digest, 20)
        return String(decoding: encoded.dropLast(), as: UTF8.self)
    }

    /// Whether it is the base64 of 16 bytes.
    private static func isNonce(_ key: String) -> Bool {
        // The result counts the padding, too.
        var bytes = [UInt8](repeating: 0, count: 18)
        guard key.utf8.count == 24, key.hasSuffix("==") else { return false }
        return unsafe EVP_DecodeBlock(&bytes, Array(key.utf8), 24) == 18
    }

    private func lists(_ token: String, in name: String) -> Bool {
        values(of: name).contains { value in
            value.lowercased().split(separator: ",").contains { part in
                part.split(whereSeparator: { $0 == " " || $0 == "\t" }) == [token[...]]
            }
        }
    }
}
