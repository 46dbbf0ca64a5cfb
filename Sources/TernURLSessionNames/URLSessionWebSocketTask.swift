// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine
import TernFoundation
import TernLock
import TernWebSocket

/// A WebSocket (RFC 6455) as URLSession has it, opened by `resume()`: a view of TernWebSocket's `WebSocket`.
///
/// Calls that are made before the server has accepted the handshake wait for that, in their order. Completion handlers run on
/// the session's `delegateQueue`, in order with the calls of the delegate. Pings of the server are answered by themselves, and
/// messages wait until they are received: then the server waits.
///
/// The task ends with the connection: without an error once both sides have closed the WebSocket, whatever the code. A server
/// that does not switch protocols is `badServerResponse`. Later calls fail with the error of the task, or with
/// `networkConnectionLost` if it has none; messages that came before can still be received.
open class URLSessionWebSocketTask: UpgradeTask, @unchecked Sendable {
    /// A message.
    public enum Message: Sendable {
        /// Bytes.
        case data(Data)
        /// A text.
        case string(String)
    }

    /// Why a WebSocket was closed (RFC 6455 §7.4).
    public enum CloseCode: Int, Sendable {
        /// The WebSocket is not closed.
        case invalid = 0
        /// Its purpose is fulfilled.
        case normalClosure = 1000
        /// A server goes down, or a program has left.
        case goingAway = 1001
        /// The other side has broken the protocol.
        case protocolError = 1002
        /// A kind of message that is not accepted.
        case unsupportedData = 1003
        /// The close frame has no code. Never sent.
        case noStatusReceived = 1005
        /// The connection has ended without a close frame. Never sent.
        case abnormalClosure = 1006
        /// A message is not what its type says.
        case invalidFramePayloadData = 1007
        /// A message violates the policy of who has received it.
        case policyViolation = 1008
        /// A message is too long.
        case messageTooBig = 1009
        /// The server did not negotiate an extension that the client needs.
        case mandatoryExtensionMissing = 1010
        /// Something unexpected has happened to the server.
        case internalServerError = 1011
        /// The TLS handshake has failed. Never sent.
        case tlsHandshakeFailure = 1015
    }

    private struct Shown {
        var isStarted = false
        var maximumMessageSize = 1024 * 1024
        var close: WebSocketClose?
    }

    private let shown = Lock(Shown())
    private let calls = WebSocketCalls()
    private let configuration: WebSocketConfiguration
    private let handshake: OpeningHandshake
    private let audience: WebSocketAudience

    init(_ request: URLRequest, _ protocols: [String], in session: Session, telling audience: WebSocketAudience) {
        var configuration = WebSocketConfiguration()
        configuration.subprotocols = protocols
        configuration = configuration.offering(what: request)
        let handshake = OpeningHandshake(configuration)
        (self.configuration, self.handshake) = (configuration, handshake)
        self.audience = audience
        super.init(request, sending: handshake.request(request), in: session)
    }

    /// Creates a task of no session, for a class of a program's tests that stands in for a task: see ``TernEngine/SessionTask``.
    public override init() {
        configuration = WebSocketConfiguration()
        (handshake, audience) = (OpeningHandshake(configuration), WebSocketAudience())
        super.init()
    }

    /// The maximum length of a received message in bytes: 1 MB by default. A longer one closes the WebSocket with
    /// `messageTooBig`, and fails the task with `dataLengthExceedsMaximum`. The value counts that it has when the server
    /// accepts the handshake; set later, it has no effect.
    open var maximumMessageSize: Int {
        get { shown.withLock { $0.maximumMessageSize } }
        set { shown.withLock { $0.maximumMessageSize = newValue } }
    }

    /// The code of the server's close frame; `abnormalClosure` if it did not answer that of the task in time. `invalid` before,
    /// and for a WebSocket that has failed. A code that has no name here, such as those of programs, is `unsupportedData`.
    open var closeCode: CloseCode { shown.withLock { $0.close }?.shownCode ?? .invalid }

    /// The reason in the server's close frame; nil before, and without one.
    open var closeReason: Data? { shown.withLock { $0.close }?.shownReason }

    /// Sends a message. The handler is called when the kernel has all of it, or with the error.
    open func send(_ message: Message, completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        calls.send(message.sent) { error in self.audience.call { completionHandler(error.map(self.naming)) } }
    }

    /// Receives the next message as soon as it is complete. Handlers that wait get one message each, in order.
    open func receive(completionHandler: @escaping @Sendable (Result<Message, any Error>) -> Void) {
        calls.receive { result in self.audience.call { completionHandler(self.shown(result)) } }
    }

    /// Sends a ping. The handler is called when the server's pong has arrived, or with the error.
    open func sendPing(pongReceiveHandler: @escaping @Sendable ((any Error)?) -> Void) {
        calls.ping { result in self.audience.call { pongReceiveHandler(result.failure.map(self.naming)) } }
    }

    /// Sends a close frame after the messages that wait. The task ends when the server has answered it, or after 10 seconds;
    /// messages can be received until then. A task that has not been resumed is cancelled.
    ///
    /// - Parameters:
    ///   - closeCode: one that must not be sent (RFC 6455 §7.4), such as `invalid`, sends none.
    ///   - reason: a text in UTF-8. Only its first 123 bytes are sent, and nothing without a code.
    open func cancel(with closeCode: CloseCode, reason: Data?) {
        guard shown.withLock({ $0.isStarted }) else { return cancel() }
        let close = WebSocketClose(closeCode, reason)
        calls.ask { result in
            // The close is one that can be sent.
            if case .success(let socket) = result { try? socket.startClose(close.code, reason: close.reason) }
        }
    }

    open override func resume() {
        shown.withLock { $0.isStarted = true }
        super.resume()
    }

    private func shown(_ result: Result<WebSocketMessage, SessionError>) -> Result<Message, any Error> {
        result.map(Message.init).mapError(naming)
    }
}

// The async forms. As in URLSession, cancelling the Swift task has no effect on them: `cancel()` of this task has.
extension URLSessionWebSocketTask {
    /// Sends a message. Done when the kernel has all of it.
    public func send(_ message: Message) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            calls.send(message.sent) { continuation.resume(with: Result($0.map(self.naming))) }
        }
    }

    /// Returns the next message as soon as it is complete.
    public func receive() async throws -> Message {
        try await withCheckedThrowingContinuation { continuation in
            calls.receive { continuation.resume(with: self.shown($0)) }
        }
    }

    /// Sends a ping, and returns when the server's pong has arrived.
    public func sendPing() async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            calls.ping { continuation.resume(with: Result($0.failure.map(self.naming))) }
        }
    }
}

// On the reactor's thread
extension URLSessionWebSocketTask: UpgradeOwner {
    package func take(_ stream: StreamTask, _ response: HTTPURLResponse) throws(SessionError) {
        var configuration = configuration
        configuration.maximumMessageSize = maximumMessageSize
        let socket = try handshake.open(stream, response, configuration, observer: self)
        audience.opened(self, socket.subprotocol)
        calls.open(socket)
    }

    package func ended(_ error: SessionError?) { if let error { calls.fail(error) } }
}

extension URLSessionWebSocketTask: WebSocketObserver {
    package func webSocketDidClose(with close: WebSocketClose, error: SessionError?) {
        if error != nil { return }
        shown.withLock { $0.close = close }
        audience.closed(self, close.shownCode, close.shownReason)
    }

    package func webSocketDidEnd(_ error: SessionError?) { upgradeEnded(error) }
}

extension URLSessionWebSocketTask.Message {
    fileprivate init(_ message: WebSocketMessage) {
        self =
            switch message {
            case .text(let text): .string(text)
            case .data(let data): .data(data)
            }
    }

    fileprivate var sent: WebSocketMessage {
        switch self {
        case .string(let text): .text(text)
        case .data(let data): .data(data)
        }
    }
}

extension WebSocketClose {
    /// What can be sent of it.
    fileprivate init(_ code: URLSessionWebSocketTask.CloseCode, _ reason: Data?) {
        let known = UInt16(exactly: code.rawValue).map(WebSocketCloseCode.init(rawValue:))
        guard let known, known.isSendable else {
            self.init(.noStatusReceived)
            return
        }
        var text = ""
        for character in String(decoding: reason ?? Data(), as: UTF8.self) {
            if text.utf8.count + character.utf8.count > 123 { break }
            text.append(character)
        }
        self.init(known, reason: text)
    }

    fileprivate var shownCode: URLSessionWebSocketTask.CloseCode {
        URLSessionWebSocketTask.CloseCode(rawValue: Int(code.rawValue)) ?? .unsupportedData
    }

    fileprivate var shownReason: Data? { reason.isEmpty ? nil : Data(reason.utf8) }
}

extension Result {
    fileprivate var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}

extension Result<Void, any Error> {
    fileprivate init(_ error: SessionError?) { self = if let error { .failure(error) } else { .success(()) } }
}

/// Where the events of a task's WebSocket go. By default handlers are called where they are due, and no delegate is.
struct WebSocketAudience: Sendable {
    var call: @Sendable (@escaping @Sendable () -> Void) -> Void = { $0() }
    var opened: @Sendable (URLSessionWebSocketTask, String?) -> Void = { _, _ in }
    var closed: @Sendable (URLSessionWebSocketTask, URLSessionWebSocketTask.CloseCode, Data?) -> Void = { _, _, _ in }
}
