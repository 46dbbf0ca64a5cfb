// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
package import TernEngine
import TernTLS

/// The request that asks for a WebSocket, and what the server's 101 must say (RFC 6455 §4.1).
package struct OpeningHandshake: Sendable {
    /// What both sides have agreed on.
    struct Outcome: Sendable {
        let response: HTTPURLResponse
        let subprotocol: String?
        let compression: DeflateParameters?
    }

    /// Sixteen bytes by chance, in base64.
    let key: String
    private let subprotocols: [String]
    private let compression: WebSocketCompression?

    package init(_ configuration: WebSocketConfiguration) {
        var random = SystemRandomNumberGenerator()
        key = Data((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }).base64EncodedString()
        (subprotocols, compression) = (configuration.subprotocols, configuration.compression)
    }

    /// Adds the handshake's fields. A field that the program has set by itself stays, but for the key's.
    package func request(_ request: URLRequest) -> URLRequest {
        var request = request
        request.url = request.url.map(Self.httpURL)
        request.setValue("websocket", forHTTPHeaderField: "Upgrade")
        request.setValue("13", forHTTPHeaderField: "Sec-WebSocket-Version")
        request.setValue(key, forHTTPHeaderField: "Sec-WebSocket-Key")
        if !subprotocols.isEmpty {
            request.setValue(subprotocols.joined(separator: ", "), forHTTPHeaderField: "Sec-WebSocket-Protocol")
        }
        if let compression { request.setValue(compression.offer, forHTTPHeaderField: "Sec-WebSocket-Extensions") }
        return request
    }

    /// `ws` is HTTP, and `wss` HTTPS (RFC 6455 §3).
    private static func httpURL(_ url: URL) -> URL {
        let text = url.absoluteString
        for (scheme, other) in [("ws:", "http:"), ("wss:", "https:")] where text.lowercased().hasPrefix(scheme) {
            return URL(string: other + text.dropFirst(scheme.count)) ?? url
        }
        return url
    }

    func outcome(of response: HTTPURLResponse) throws(WebSocketHandshakeViolation) -> Outcome {
        func values(_ name: String) -> [String] { response.head.values(for: name) }
        guard values("Upgrade").contains(where: { $0.lowercased() == "websocket" }) else { throw .upgrade }
        guard let accept = Self.accept(key), values("Sec-WebSocket-Accept") == [accept] else { throw .accept }
        let chosen = values("Sec-WebSocket-Protocol")
        guard chosen.count <= 1, chosen.allSatisfy(subprotocols.contains) else { throw .subprotocol }
        let parameters = try DeflateParameters(values("Sec-WebSocket-Extensions"), offer: compression)
        return Outcome(response: response, subprotocol: chosen.first, compression: parameters)
    }

    static func accept(_ key: String) -> String? {
        let text = Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
        return MessageDigest.hash(text, by: .sha1).map { Data($0).base64EncodedString() }
    }
}
