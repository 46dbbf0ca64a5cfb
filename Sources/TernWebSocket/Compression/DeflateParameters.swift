// SPDX-License-Identifier: Apache-2.0
import TernEngine
import TernHTTP1

/// Compression of messages by permessage-deflate (RFC 7692), as it is offered to a server.
///
/// Compressed, a secret beside text that somebody else chooses can be guessed from lengths, also over TLS: send no such
/// messages. Each connection needs about 40 KB to decompress and 260 KB to compress.
public struct WebSocketCompression: Sendable, Hashable {
    /// 0 (stored) to 9 (smallest); others count as the nearest. The default is zlib's, 6.
    public var level = 6
    /// Messages of fewer bytes are sent as they are.
    public var minimumSize = 256
    /// Whether the client forgets each message before it compresses the next one.
    public var clientForgetsContext = false
    /// Whether the server is asked to do so, which saves it memory.
    public var serverForgetsContext = false
    /// The logarithm of the largest window that the server may use, 8 to 15; others count as the nearest.
    public var maximumServerWindowBits = 15

    /// Creates the default offer.
    public init() {}

    var offer: String {
        var offer = "permessage-deflate; client_max_window_bits"
        if serverForgetsContext { offer += "; server_no_context_takeover" }
        if clientForgetsContext { offer += "; client_no_context_takeover" }
        if serverBits < 15 { offer += "; server_max_window_bits=\(serverBits)" }
        return offer
    }

    private var serverBits: Int { min(max(8, maximumServerWindowBits), 15) }
}

/// What both sides have agreed on.
struct DeflateParameters: Sendable, Hashable {
    var clientForgetsContext = false
    var serverForgetsContext = false
    var clientWindowBits = 15

    init() {}

    /// Reads the server's `Sec-WebSocket-Extensions`, and holds it against the offer (RFC 7692 §7.1). Nil if it uses none.
    init?(
        _ fields: [String], offer: WebSocketCompression?
    ) throws(WebSocketHandshakeViolation) {
        var extensions: [String] = []
        let isWhole = ListRules.directives.read(fields.map { Array($0.utf8) }) { bytes in
            extensions.append(unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) })
        }
        guard isWhole else { throw .extensions }
        guard let first = extensions.first else { return nil }
        guard let offer, extensions.count == 1 else { throw .extensions }
        var parameters = first.split(separator: ";", omittingEmptySubsequences: false).map {
            String($0.trimmingBlanks)
        }[...]
        guard parameters.popFirst()?.lowercased() == "permessage-deflate" else { throw .extensions }
        clientForgetsContext = offer.clientForgetsContext
        var seen: Set<String> = []
        for parameter in parameters {
            let (name, value) = Self.pair(parameter)
            guard seen.insert(name).inserted else { throw .extensions }
            switch (name, value) {
            case ("client_no_context_takeover", nil): clientForgetsContext = true
            case ("server_no_context_takeover", nil): serverForgetsContext = true
            case ("client_max_window_bits", let value?):
                guard let bits = Self.bits(value) else { throw .extensions }
                clientWindowBits = bits
            case ("server_max_window_bits", let value?):
                guard let bits = Self.bits(value), bits <= offer.maximumServerWindowBits || bits == 8 else {
                    throw .extensions
                }
            default: throw .extensions
            }
        }
        if offer.serverForgetsContext, !serverForgetsContext { throw .extensions }
        if offer.maximumServerWindowBits < 15, !seen.contains("server_max_window_bits") { throw .extensions }
    }

    /// A decimal number from 8 to 15 without leading zeros.
    private static func bits(_ text: String) -> Int? {
        guard let bits = Int(text), 8...15 ~= bits, "\(bits)" == text else { return nil }
        return bits
    }

    private static func pair(_ parameter: String) -> (name: String, value: String?) {
        let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        var value = parts.count > 1 ? String(parts[1].trimmingBlanks) : nil
        if let quoted = value, quoted.count >= 2, quoted.first == "\"", quoted.last == "\"" {
            value = String(quoted.dropFirst().dropLast())
        }
        return (parts[0].trimmingBlanks.lowercased(), value)
    }
}
