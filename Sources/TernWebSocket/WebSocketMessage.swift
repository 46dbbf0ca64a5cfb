// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials

/// A message of a ``WebSocket`` (RFC 6455 §5.6).
public enum WebSocketMessage: Sendable, Hashable {
    /// A text, which travels as UTF-8.
    case text(String)
    /// Bytes.
    case data(Data)

    var isText: Bool { if case .text = self { true } else { false } }

    var bytes: Data {
        switch self {
        case .text(let text): Data(text.utf8)
        case .data(let data): data
        }
    }
}
