// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
public import TernEngine
import TernIO

/// A WebSocket (RFC 6455): messages in both directions over one connection, opened by
/// `session.webSocket(for:configuration:delegate:)`.
///
/// It is a sequence of its messages: `for try await message in socket`.
///
/// Messages wait until they are received, at most 64 KB of them or one longer message: then the server waits. A message
/// that is sent waits until the server takes it. Pings of the server are answered by themselves.
///
/// All members may be used on any thread. Releasing the last reference closes the WebSocket with
/// `goingAway`. It does not retain its session.
public final class WebSocket: Sendable {
    /// The server's 101.
    public let response: HTTPURLResponse
    /// The subprotocol that the server has chosen; nil for none.
    public let subprotocol: String?
    /// Whether messages are compressed (RFC 7692).
    public let isCompressed: Bool

    private let connection: WebSocketConnection
    private let task: StreamTask

    init(_ connection: WebSocketConnection, over task: StreamTask, _ handshake: OpeningHandshake.Outcome) {
        (self.connection, self.task) = (connection, task)
        (response, subprotocol) = (handshake.response, handshake.subprotocol)
        isCompressed = handshake.compression != nil
    }

    deinit { connection.leave() }

    /// What the server's close frame says; if the WebSocket has failed, what the server was told, or
    /// `abnormalClosure`. Nil while it is open.
    public var closed: WebSocketClose? { connection.closeSoFar }

    /// Begins with the connection, which has an object for its calls now.
    func begin() {
        let connection = connection
        connection.socket = self
        let isAlive = task.perform { connection.begin() } && task.hand(over: connection)
        if !isAlive { connection.ended(task.error(.sessionInvalidated)) }
    }

    /// Ends the connection at once, without a close. Whoever waits gets `cancelled`.
    public func cancel() { task.cancel() }
}

// Sending
extension WebSocket {
    /// Sends a message. Done when the kernel has all of it.
    ///
    /// Throws `webSocket(.closed)` once a close was sent or received, and the failure of the connection. Cancelling the
    /// Swift task throws `cancelled` and closes the WebSocket: a part of the message may have been sent.
    public func send(_ message: WebSocketMessage) async throws(SessionError) {
        let error = await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { (continuation: UnsafeContinuation<SessionError?, Never>) in
                // Every message is answered once.
                connection.send(message) { unsafe continuation.resume(returning: $0) }
            }
        } onCancel: {
            leave()
        }
        if let error { throw error }
    }

    /// Sends a text.
    public func send(_ text: String) async throws(SessionError) { try await send(.text(text)) }

    /// Sends bytes.
    public func send(_ data: Data) async throws(SessionError) { try await send(.data(data)) }

    /// The same; `completionHandler` is called once, on the reactor's thread, with nil or the error.
    public func send(_ message: WebSocketMessage, completionHandler: @escaping @Sendable (SessionError?) -> Void) {
        connection.send(message, completionHandler)
    }

    /// Sends a message that is lent for the call, and does not tell when it has been sent. On the reactor's thread, as in a
    /// `WebSocketReceiver`, it is framed without another copy.
    ///
    /// - Parameters:
    ///   - bytes: the message; a text must be UTF-8, which is not checked.
    ///   - isText: whether it is a text.
    public func send(_ bytes: Span<UInt8>, isText: Bool) { connection.send(isText: isText, bytes) }

    /// Sends a ping, and returns how long the server's pong took.
    public func ping() async throws(SessionError) -> Duration {
        let result = await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation {
                (continuation: UnsafeContinuation<Result<Duration, SessionError>, Never>) in
                // Every ping is answered once.
                connection.sendPing { unsafe continuation.resume(returning: $0) }
            }
        } onCancel: {
            leave()
        }
        return try result.get()
    }

    /// The same; `completionHandler` is called once, on the reactor's thread.
    public func ping(completionHandler: @escaping @Sendable (Result<Duration, SessionError>) -> Void) {
        connection.sendPing(completionHandler)
    }

    /// Closes the WebSocket after the messages that wait, and returns what the server's close frame says:
    /// `abnormalClosure` if none comes within
    /// ``WebSocketConfiguration/closeTimeout``. Messages that the server sent before can still be received. Of a WebSocket
    /// that is closed, returns how it was closed.
    ///
    /// Throws `webSocket(.unsendableClose)` for a code that must not be sent (RFC 6455 §7.4), and for a reason of more
    /// than 123 bytes.
    @discardableResult
    public func close(
        _ code: WebSocketCloseCode = .normalClosure, reason: String = ""
    ) async throws(SessionError) -> WebSocketClose {
        let close = try checked(WebSocketClose(code, reason: reason))
        return await unsafe withUnsafeContinuation { continuation in
            // Every close is answered once.
            connection.startClose(close) { unsafe continuation.resume(returning: $0) }
        }
    }

    /// The same without waiting for the server.
    public func startClose(_ code: WebSocketCloseCode = .normalClosure, reason: String = "") throws(SessionError) {
        connection.startClose(try checked(WebSocketClose(code, reason: reason)), nil)
    }

    private func checked(_ close: WebSocketClose) throws(SessionError) -> WebSocketClose {
        let hasRoom = close.reason.utf8.count <= FrameHeader.maximumControlPayload - 2
        guard hasRoom, close.code.isSendable || close.code == .noStatusReceived && close.reason.isEmpty else {
            throw task.error(.transfer(.webSocket(.unsendableClose(close))))
        }
        return close
    }

    private func leave() { connection.leave() }
}

// Receiving
extension WebSocket: AsyncSequence {
    public typealias Element = WebSocketMessage

    /// The next message, as soon as it is complete. Messages go to one receiver each, in order.
    ///
    /// Throws `webSocket(.closed)` when the WebSocket is closed, and the failure that has ended it. Cancelling the Swift task
    /// throws `cancelled` and closes the WebSocket.
    public func receive() async throws(SessionError) -> WebSocketMessage {
        while true {
            if let result = connection.take() { return try result.get() }
            await wait()
        }
    }

    private func wait() async {
        await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                unsafe connection.wait(continuation)
            }
        } onCancel: {
            leave()
        }
    }

    /// The same; `completionHandler` is called once, on the reactor's thread.
    public func receive(completionHandler: @escaping @Sendable (Result<WebSocketMessage, SessionError>) -> Void) {
        connection.receive(completionHandler)
    }

    /// Returns the messages one after another.
    public func makeAsyncIterator() -> Iterator { Iterator(socket: self) }

    /// The messages of a ``WebSocket``. Ends when this side has closed it, or the server has with 1000, 1001 or without a
    /// code; any other end is thrown.
    public struct Iterator: AsyncIteratorProtocol {
        let socket: WebSocket

        /// The next message; nil when there are no more.
        public mutating func next() async throws(SessionError) -> WebSocketMessage? {
            do throws(SessionError) {
                return try await socket.receive()
            } catch {
                if socket.isOrderly(error) { return nil }
                throw error
            }
        }

        /// The same for a caller isolated to an actor.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(SessionError) -> WebSocketMessage? {
            try await next()
        }
    }

    private func isOrderly(_ error: SessionError) -> Bool {
        guard case .transfer(.webSocket(.closed(let close))) = error.reason else { return false }
        return connection.isClosedHere || [.normalClosure, .goingAway, .noStatusReceived].contains(close.code)
    }
}

extension StreamTask: WebSocketHost {
    var tickTime: MonotonicInstant { reactorLoop?.now ?? .now }
    var exactTime: MonotonicInstant { reactorLoop?.exactNow ?? .now }
    var isCurrent: Bool { reactorLoop?.isCurrent == true }
    func afterTick(_ work: @escaping @Sendable () -> Void) { reactorLoop?.afterTick(work) }

    @unsafe func resume(_ continuation: UnsafeContinuation<Void, Never>) {
        if let reactorLoop { unsafe reactorLoop.resume(continuation) } else { unsafe continuation.resume() }
    }
}
