// SPDX-License-Identifier: Apache-2.0
package import TernEngine

/// How a ``WebSocket`` is opened and kept.
public struct WebSocketConfiguration: Sendable, Hashable {
    /// The subprotocols to offer (`Sec-WebSocket-Protocol`), the preferred one first. The server chooses one or none.
    public var subprotocols: [String] = []
    /// The maximum length of a received message in bytes, after decompression: 16 MB by default. A longer one closes the
    /// WebSocket with 1009 before it is received.
    public var maximumMessageSize = 16 * 1024 * 1024
    /// Offers permessage-deflate (RFC 7692); nil, the default, offers no compression.
    public var compression: WebSocketCompression?
    /// The time from one ping of its own to the next; nil, the default, sends none.
    public var pingInterval: Duration?
    /// How long the server may send nothing after such a ping: 20 seconds by default. Time in which this side does not
    /// receive, because messages wait to be read, does not count.
    public var pongTimeout: Duration = .seconds(20)
    /// How long a close waits for the server, which closes the connection: 10 seconds by default.
    public var closeTimeout: Duration = .seconds(10)

    /// Creates a configuration with default values.
    public init() {}
}

extension WebSocketConfiguration {
    /// Offers the subprotocols that the program has set in the field of its request, unless it has listed some here.
    package func offering(what request: URLRequest) -> WebSocketConfiguration {
        guard subprotocols.isEmpty, let field = request.value(forHTTPHeaderField: "Sec-WebSocket-Protocol") else {
            return self
        }
        var configuration = self
        configuration.subprotocols = field.split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" } }
        return configuration
    }
}
