// SPDX-License-Identifier: Apache-2.0

/// An action of the server on a WebSocket. Steps run in order, and nothing is read meanwhile; after the last one the
/// server reads the next frame, unless a step has ended the connection.
public indirect enum WebSocketStep: Sendable {
    /// Sends a text message in one frame.
    case text(String)
    /// Sends a binary message in one frame.
    case binary([UInt8])
    /// Sends a ping.
    case ping([UInt8] = [])
    /// Sends a pong, asked for or not.
    case pong([UInt8] = [])
    /// Sends a close frame, whose payload is empty without a code. Reading continues.
    case close(UInt16? = 1000, reason: String = "")
    /// Sends a frame, valid or not: a fragment, a reserved opcode, a length that is not the payload's.
    case frame(WebSocketFrame)
    /// Sends bytes that need not be frames.
    case bytes([UInt8])
    /// Takes the step, but sends its bytes one after another with a pause after each.
    case slowly(WebSocketStep, every: Duration)
    /// Waits until the latch is open. As nothing is read meanwhile, the client meets back-pressure. If the client closes,
    /// continues as `awaitEnd`.
    case wait(Latch)
    /// From here reads and records, and neither answers nor sends, until the client ends the connection.
    case awaitEnd
    /// Ends the connection without a close frame: close_notify over TLS, then FIN.
    case hangUp
    /// Closes with RST.
    case reset
}

/// What a server does on a WebSocket. By default it echoes messages, answers pings, and answers a close frame with the
/// same payload and the end of the connection.
public struct WebSocketScript: Sendable {
    /// The steps after a whole message on the numbered connection, counted from 1.
    public typealias MessageHandler = @Sendable (_ connection: Int, _ message: ReceivedMessage) -> [WebSocketStep]

    /// The steps after the handshake, before a frame is read.
    public var onOpen: [WebSocketStep] = []
    /// The steps after a whole message; nil for an echo of it in one frame, reserved bits included.
    public var onMessage: MessageHandler?
    /// The steps after a ping, a pong or a close frame, before the server's own answer.
    public var onControl: (@Sendable (_ connection: Int, _ frame: WebSocketFrame) -> [WebSocketStep])?
    /// Whether a ping is answered with a pong.
    public var answersPings = true
    /// Whether a close frame is answered with one of the same payload, if the server has sent none, and with the end of the
    /// connection.
    public var answersClose = true
    /// The reserved bits that a client may set, such as 4 (RSV1) for compressed messages, which stay compressed.
    public var reservedBits: UInt8 = 0

    /// Creates a script. It must not capture the server, which would then never be released.
    public init(onOpen: [WebSocketStep] = [], onMessage: MessageHandler? = nil) {
        (self.onOpen, self.onMessage) = (onOpen, onMessage)
    }
}
