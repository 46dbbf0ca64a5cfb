// SPDX-License-Identifier: Apache-2.0
import TernEngine
import TernWebSocket

/// What an attacked client does with a WebSocket, and how that must end.
struct WebSocketUse: Codable, Sendable {
    enum Reader: String, Codable, Sendable {
        case sequence, handler, receiver
        /// Nobody receives until time is up.
        case nobody
        /// It sends, and does not receive.
        case sender
    }

    enum Ending: String, Codable, Sendable {
        /// Time was up: the server never stops.
        case cancelled
        /// The server's close.
        case complete
        case handshake, violation, messageTooLarge
    }

    var reader = Reader.sequence
    var ending = Ending.cancelled
    var isCompressed = false

    var configuration: WebSocketConfiguration {
        var configuration = WebSocketConfiguration()
        configuration.maximumMessageSize = 256 * 1024
        configuration.compression = isCompressed ? WebSocketCompression() : nil
        return configuration
    }

    func expects(_ error: SessionError?) -> Bool {
        switch (ending, error?.reason) {
        case (.cancelled, .cancelled?), (.complete, nil), (.handshake, .transfer(.webSocket(.handshake))?),
            (.violation, .transfer(.webSocket(.violation))?),
            (.messageTooLarge, .transfer(.webSocket(.messageTooLarge))?):
            true
        default: false
        }
    }
}

extension Attack {
    static let webSockets: [Attack] = [
        webSocket("ws-echo", WebSocketUse(reader: .nobody)),
        webSocket("ws-wrong-accept", WebSocketUse(ending: .handshake)),
        webSocket("ws-violations", WebSocketUse(ending: .violation)),
        webSocket("ws-pings", WebSocketUse()),
        webSocket("ws-fragments", WebSocketUse()),
        webSocket("ws-messages", WebSocketUse()),
        webSocket("ws-messages", WebSocketUse(reader: .handler)),
        webSocket("ws-messages", WebSocketUse(reader: .receiver)),
        webSocket("ws-messages", WebSocketUse(reader: .nobody)),
        webSocket("ws-close-flood", WebSocketUse(ending: .complete)),
        webSocket("ws-announced", WebSocketUse(ending: .messageTooLarge)),
        webSocket("ws-announced", WebSocketUse(isCompressed: true)),
        webSocket("ws-stored-blocks", WebSocketUse(isCompressed: true)),
        webSocket("ws-dynamic-blocks", WebSocketUse(isCompressed: true)),
        webSocket("ws-bomb", WebSocketUse(ending: .messageTooLarge, isCompressed: true)),
        webSocket("ws-bombs", WebSocketUse(isCompressed: true)),
        webSocket("ws-bombs", WebSocketUse(reader: .receiver, isCompressed: true)),
        webSocket("ws-compressed-nothing", WebSocketUse(isCompressed: true)),
        webSocket("ws-deaf", WebSocketUse(reader: .sender)),
        webSocket("ws-pings", WebSocketUse(reader: .sender, isCompressed: true)),
    ]

    /// Named after the behaviour, and after what is unusual in the client.
    private static func webSocket(_ behaviour: String, _ use: WebSocketUse) -> Attack {
        let name = behaviour + (use.reader == .sequence ? "" : "-\(use.reader)")
        return Attack(
            name: name + (use.isCompressed && behaviour == "ws-announced" ? "-compressed" : ""), kind: .webSockets,
            door: "plain", behaviour: behaviour, limitsMemory: true, webSocket: use)
    }
}
