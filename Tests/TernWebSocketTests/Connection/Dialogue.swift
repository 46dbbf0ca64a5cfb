// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine
import TernIO
import TernLock
import Testing

@testable import TernWebSocket

/// A connection without I/O: what a server sends goes in, and what the connection sends comes out.
final class Dialogue: Sendable {
    let connection: WebSocketConnection
    private let host: DialogueHost
    private let messages = Lock<[WebSocketMessage]>([])

    init(
        _ parameters: DeflateParameters? = nil, _ configure: (inout WebSocketConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = WebSocketConfiguration()
        if parameters != nil { configuration.compression = WebSocketCompression() }
        configure(&configuration)
        host = DialogueHost()
        connection = try WebSocketConnection(host, configuration, parameters)
        connection.begin()
    }

    /// The server sends bytes, of which the connection takes what it wants; returns how many.
    @discardableResult
    func receive(_ bytes: [UInt8], inPiecesOf size: Int = .max) -> Int {
        let nothing: [UInt8] = []
        var offset = 0
        while connection.wanted > 0, offset < bytes.count {
            let end = min(bytes.count, offset + min(size, bytes.count))
            let taken = connection.receive(bytes.span.extracting(offset..<end))
            tick()
            if taken == 0, !connection.hasMore { break }
            offset += taken
        }
        while connection.hasMore {
            _ = connection.receive(nothing.span)
            tick()
        }
        return offset
    }

    func receiveEnd() {
        connection.receiveEnd()
        tick()
    }

    func advance(by duration: Duration) {
        host.advance(by: duration)
        // As a reactor would, which looks at the deadline alone.
        while let deadline = connection.deadline, deadline <= host.tickTime, connection.ending == nil {
            connection.timePassed(host.tickTime)
            tick()
            if connection.deadline == deadline { break }
        }
        tick()
    }

    func tick() {
        connection.endTick()
        host.run()
    }

    /// Has everything done that was asked for.
    func settle() { host.run() }

    /// Everything that the connection sends now, unmasked: frames as text, such as `text(hello)`.
    func sent() -> [String] {
        var bytes: [UInt8] = []
        while connection.hasUnsent {
            let before = bytes.count
            connection.lendUnsent { piece in
                for index in piece.indices { bytes.append(piece[index]) }
                return piece.count
            }
            tick()
            if bytes.count == before, !connection.hasUnsent { break }
        }
        return SentFrame.frames(of: bytes).map(\.description)
    }

    /// The messages that can be received now.
    func received() -> [WebSocketMessage] {
        var messages: [WebSocketMessage] = []
        while case .success(let message)? = connection.take() { messages.append(message) }
        host.run()
        return messages
    }

    /// The failure after them.
    var failure: WebSocketFailure? {
        guard case .failure(let error)? = connection.take(), case .transfer(.webSocket(let failure)) = error.reason
        else {
            return nil
        }
        return failure
    }

    var events: [WebSocketEvent] { host.events.withLock { $0 } }
}

/// A frame of the connection, as its server reads it.
struct SentFrame: CustomStringConvertible {
    let first: UInt8
    let payload: [UInt8]

    static func frames(of bytes: [UInt8]) -> [SentFrame] {
        var frames: [SentFrame] = []
        var rest = bytes[...]
        while let first = rest.popFirst(), let second = rest.popFirst() {
            #expect(second & 0x80 != 0, "a client masks every frame")
            var length = Int(second & 0x7F)
            if length > 125 {
                let size = length == 126 ? 2 : 8
                length = rest.prefix(size).reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(size)
            }
            let key = Array(rest.prefix(4))
            rest = rest.dropFirst(4)
            guard rest.count >= length else {
                Issue.record("a frame is cut")
                break
            }
            frames.append(
                SentFrame(first: first, payload: rest.prefix(length).enumerated().map { $1 ^ key[$0 & 3] }))
            rest = rest.dropFirst(length)
        }
        return frames
    }

    var description: String {
        let names: [UInt8: String] = [0: "more", 1: "text", 2: "binary", 8: "close", 9: "ping", 10: "pong"]
        let name = names[first & 15] ?? "\(first & 15)"
        let marks = (first & 0x40 != 0 ? "z" : "") + (first & 0x80 == 0 ? "+" : "")
        let text = String(decoding: payload, as: UTF8.self)
        let isPlain = payload.allSatisfy { 0x20..<0x7F ~= $0 } && payload.count < 40
        return "\(name)\(marks)(\(isPlain ? text : payload.count < 8 ? "\(payload)" : "\(payload.count)"))"
    }
}

/// A frame of a server, which masks nothing.
func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
    let count = payload.count
    let length: [UInt8] =
        switch count {
        case ..<126: [UInt8(count)]
        case ..<0x1_0000: [126, UInt8(count >> 8), UInt8(count & 0xFF)]
        default: [127] + (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }
        }
    return [first] + length + payload
}

func frame(_ first: UInt8, _ text: String) -> [UInt8] { frame(first, Array(text.utf8)) }
