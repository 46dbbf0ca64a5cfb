// SPDX-License-Identifier: Apache-2.0

/// An action of the origin on a connection. Steps run in order; after the last one the origin reads the next request,
/// unless a step has ended the connection.
public enum OriginStep: Sendable {
    /// Sends the bytes, waiting for the client to make room if necessary.
    case send([UInt8])
    /// Sends the bytes one after another with a pause after each.
    case drip([UInt8], every: Duration)
    /// Sends the bytes this number of times: a large body without a large array.
    case `repeat`([UInt8], count: Int)
    /// Sends the bytes below TLS, unencrypted. Over plain TCP the same as `send`.
    case sendBelowTLS([UInt8])
    /// Requests new traffic keys in both directions (TLS 1.3; otherwise no effect).
    case updateKeys
    /// Waits without reading.
    case pause(Duration)
    /// Waits until this number of bytes has arrived and is unread. In `onHead`: bytes of the body, still encoded. In
    /// `onAccept`: bytes on the wire, such as a ClientHello.
    case receive(Int)
    /// Reads this number of bytes on the wire, and keeps them in ``OriginObservations/takenBytes``. Only in `onAccept`, before
    /// the TLS handshake: with it an origin is a SOCKS proxy first, and itself the server behind that.
    case take(Int)
    /// The same up to the empty line after a head: with it an origin is an HTTP proxy that opens a tunnel first.
    case takeHead
    /// Performs the TLS handshake now rather than after the steps of `onAccept`. No effect over plain TCP.
    case handshake
    /// Neither reads nor writes until ``ScriptedOrigin/release()``, or until the client closes.
    case hold
    /// Reads and discards until the client closes.
    case awaitClose
    /// Sends close_notify over TLS, then FIN, and closes. Later bytes of the client are answered with RST.
    case close
    /// Sends close_notify over TLS, then FIN, and continues reading until the client closes.
    case halfClose
    /// Sends FIN without a close_notify, and closes. Over plain TCP the same as `close`.
    case closeAbruptly
    /// Closes with RST.
    case reset
    /// Notes a WebSocket, sends the head, and speaks WebSocket until the connection ends, whether the head was a valid
    /// handshake or not. `.webSocket(request)` makes a valid one.
    case webSocket(WebSocketScript, head: [UInt8])
}

extension OriginStep: CustomStringConvertible {
    /// As in code, with the beginning of its bytes as text: what a failed test prints, or a test with arguments, may hold
    /// megabytes.
    public var description: String {
        switch self {
        case .send(let bytes): "send(\(Self.describe(bytes)))"
        case .drip(let bytes, every: let pause): "drip(\(Self.describe(bytes)), every: \(pause))"
        case .repeat(let bytes, count: let count): "repeat(\(Self.describe(bytes)), count: \(count))"
        case .sendBelowTLS(let bytes): "sendBelowTLS(\(Self.describe(bytes)))"
        case .updateKeys: "updateKeys"
        case .pause(let duration): "pause(\(duration))"
        case .receive(let count): "receive(\(count))"
        case .take(let count): "take(\(count))"
        case .takeHead: "takeHead"
        case .handshake: "handshake"
        case .hold: "hold"
        case .awaitClose: "awaitClose"
        case .close: "close"
        case .halfClose: "halfClose"
        case .closeAbruptly: "closeAbruptly"
        case .reset: "reset"
        case .webSocket: "webSocket"
        }
    }

    static func describe(_ bytes: [UInt8]) -> String {
        let beginning = String(decoding: bytes.prefix(100), as: UTF8.self).debugDescription
        return bytes.count <= 100 ? beginning : "\(beginning)… \(bytes.count) bytes"
    }
}

extension OriginStep {
    /// Sends the UTF-8 of the text. Lines of a head end with CRLF in the text itself.
    public static func send(_ text: String) -> Self { .send(Array(text.utf8)) }

    /// Sends a 200 with the text as its body, delimited by Content-Length.
    public static func ok(_ body: String = "") -> Self { respond(body: body) }

    /// Sends a whole response with `Content-Type: application/json` whose body is the UTF-8 of the text, unchecked. A
    /// Content-Length is added unless `fields` have framing of their own.
    ///
    /// - Parameters:
    ///   - text: the body.
    ///   - status: the status code.
    ///   - fields: further names and values.
    public static func json(
        _ text: String, status: Int = 200, fields: [(name: String, value: String)] = []
    ) -> Self {
        respond(status: status, fields: [(name: "Content-Type", value: "application/json")] + fields, body: text)
    }

    /// Sends a whole response whose body is the UTF-8 of the text; see
    /// ``respond(status:reason:fields:body:)-(_,_,_,[UInt8])``.
    public static func respond(
        status: Int = 200, reason: String = "", fields: [(name: String, value: String)] = [], body: String = ""
    ) -> Self {
        respond(status: status, reason: reason, fields: fields, body: Array(body.utf8))
    }

    /// Sends a whole response. A Content-Length is added unless `fields` have framing of their own.
    ///
    /// - Parameters:
    ///   - status: the status code, sent unchanged.
    ///   - reason: the reason phrase.
    ///   - fields: names and values, sent unchanged.
    ///   - body: sent after the head unchanged, whatever the method and the status.
    public static func respond(
        status: Int = 200, reason: String = "", fields: [(name: String, value: String)] = [], body: [UInt8]
    ) -> Self {
        let framed = fields.contains { ["content-length", "transfer-encoding"].contains($0.name.lowercased()) }
        let all = framed ? fields : fields + [(name: "Content-Length", value: String(body.count))]
        return .send(head(status, reason, all) + body)
    }

    /// Sends a whole response: each element that is not empty as one chunk, then the last chunk and the trailers.
    public static func chunked(
        _ pieces: [String], status: Int = 200, reason: String = "", fields: [(name: String, value: String)] = [],
        trailers: [(name: String, value: String)] = []
    ) -> Self {
        var bytes = head(status, reason, fields + [(name: "Transfer-Encoding", value: "chunked")])
        for piece in pieces where !piece.isEmpty {
            bytes += "\(String(piece.utf8.count, radix: 16))\r\n\(piece)\r\n".utf8
        }
        bytes += "0\r\n".utf8
        for trailer in trailers { bytes += "\(trailer.name): \(trailer.value)\r\n".utf8 }
        bytes += "\r\n".utf8
        return .send(bytes)
    }

    static func head(_ status: Int, _ reason: String, _ fields: [(name: String, value: String)]) -> [UInt8] {
        var head = "HTTP/1.1 \(status) \(reason)\r\n"
        for field in fields { head += "\(field.name): \(field.value)\r\n" }
        return Array((head + "\r\n").utf8)
    }
}

/// The actions of a test, for the three events of a connection.
struct OriginScript: Sendable {
    typealias AcceptHandler = @Sendable (_ connection: Int) -> [OriginStep]
    typealias RequestHandler = @Sendable (_ connection: Int, _ request: ReceivedRequest) -> [OriginStep]

    let onAccept: AcceptHandler?
    let onHead: RequestHandler?
    let onRequest: RequestHandler
}
