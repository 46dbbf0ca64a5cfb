// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine
import TernLock
public import TernWebSocket

/// A WebSocket (RFC 6455): the request of its handshake, and what is sent and received then.
///
/// It runs until the WebSocket is closed, fails or is cancelled, whether it is referenced or not. The manager's adapter and
/// retrier are called as for any request; after a retry it is another WebSocket. Calls before it is open wait for that, in their
/// order.
///
/// ```swift
/// SessionManager.default.webSocketRequest(to: "wss://example.com/chat")
///     .streamMessages { message in print(message) }
///     .send(.text("hello"))
/// ```
open class WebSocketRequest: Request, @unchecked Sendable {
    /// What happens on a WebSocket.
    public enum Event: Sendable {
        /// It is open, and the server has chosen this subprotocol; nil for none.
        case connected(protocol: String?)
        /// A message has arrived.
        case receivedMessage(WebSocketMessage)
        /// There are no more messages: what the server's close frame says; ``TernEngine/WebSocketCloseCode/abnormalClosure`` for
        /// a connection that ended without one.
        case disconnected(closeCode: WebSocketCloseCode, reason: String)
        /// The end of the request: the last event.
        case completed(Completion)
    }

    /// How a request has ended.
    public struct Completion: Sendable {
        /// The request after the adapter; nil if it could not be created.
        public let request: URLRequest?
        /// The server's answer to the handshake.
        public let response: HTTPURLResponse?
        /// The metrics of the last task; nil if there was none.
        public let metrics: TaskMetrics?
        /// Nil if both sides have closed the WebSocket.
        public let error: (any Error)?
    }

    private let messages: WebSocketMessages

    init(_ original: Result<URLRequest, any Error>, _ configuration: WebSocketConfiguration, context: RequestContext) {
        messages = WebSocketMessages(context.callbacks)
        switch original {
        case .success(let request):
            super.init(
                WebSocketConvertible(urlRequest: request, configuration: configuration, messages: messages),
                delegate: WebSocketTaskReceiver(request: request, context: context))
        case .failure(let error):
            super.init(nil, delegate: WebSocketTaskReceiver(request: nil, error: error, context: context))
        }
    }

    /// The server's answer to the handshake, as soon as it has arrived.
    open override var response: HTTPURLResponse? { task?.response }

    /// Calls the handler with each event, on `queue` or else on the manager's callback queue, one after another. A message is
    /// received when the handlers have returned from the one before: a busy handler makes the server wait.
    @preconcurrency @discardableResult
    open func streamMessageEvents(
        on queue: DispatchQueue? = nil, handler: @escaping @Sendable (Event) -> Void
    ) -> Self {
        let listener = WebSocketMessages.Listener(queue: queue, handler: handler)
        messages.add(listener)
        whenOver { [messages] in messages.complete($0, listener) }
        return self
    }

    /// Calls the handler with each message, as ``streamMessageEvents(on:handler:)`` does.
    @preconcurrency @discardableResult
    public func streamMessages(
        on queue: DispatchQueue? = nil, handler: @escaping @Sendable (WebSocketMessage) -> Void
    ) -> Self {
        streamMessageEvents(on: queue) { if case .receivedMessage(let message) = $0 { handler(message) } }
    }

    /// Sends a message. The handler is called when the kernel has all of it, on `queue` or else on the manager's callback
    /// queue.
    @preconcurrency @discardableResult
    open func send(
        _ message: WebSocketMessage, queue: DispatchQueue? = nil,
        completionHandler: (@Sendable (Result<Void, any Error>) -> Void)? = nil
    ) -> Self {
        messages.calls.send(message) { [context] error in
            context.pass(error.map { .failure($0) } ?? .success(()), to: completionHandler, on: queue)
        }
        return self
    }

    /// Sends a ping. The handler gets the time that the server's pong took.
    @preconcurrency @discardableResult
    open func sendPing(
        queue: DispatchQueue? = nil, completionHandler: (@Sendable (Result<Duration, any Error>) -> Void)? = nil
    ) -> Self {
        messages.calls.ping { [context] result in
            switch result {
            case .success(let time): context.pass(.success(time), to: completionHandler, on: queue)
            case .failure(let error): context.pass(.failure(error), to: completionHandler, on: queue)
            }
        }
        return self
    }

    /// Sends a close frame after the messages that wait. A code or a reason that cannot be sent (RFC 6455 §7.4) cancels the
    /// request.
    @discardableResult
    open func close(sending code: WebSocketCloseCode = .normalClosure, reason: String = "") -> Self {
        messages.calls.ask { result in
            guard case .success(let socket) = result else { return }
            do { try socket.startClose(code, reason: reason) } catch { self.cancel() }
        }
        return self
    }

    /// Returns the WebSocket as soon as it is open, to be used in place of the handlers of this request: who streams messages
    /// has them all. Cancelling the Swift task cancels the request.
    open func webSocket() async throws -> WebSocket {
        let (sockets, answer) = AsyncThrowingStream<WebSocket, any Error>.makeStream()
        messages.calls.ask { result in
            guard case .success(let socket) = result else { return }
            answer.yield(socket)
            answer.finish()
        }
        whenOver { answer.finish(throwing: $0.error ?? SessionError(.cancelled, phase: .request)) }
        return try await withTaskCancellationHandler {
            for try await socket in sockets { return socket }
            throw SessionError(.cancelled, phase: .request)
        } onCancel: {
            cancelAwaited()
        }
    }

    private func whenOver(_ body: @escaping @Sendable (Completion) -> Void) {
        delegate.handle { [messages] completion in
            messages.calls.fail(completion.error as? SessionError ?? SessionError(.cancelled, phase: .request))
            let task = completion.task
            body(
                Completion(
                    request: completion.request, response: task?.response, metrics: task?.metrics,
                    error: completion.error))
        }
    }
}

extension RequestContext {
    fileprivate func pass<Value: Sendable>(
        _ result: Result<Value, any Error>, to handler: (@Sendable (Result<Value, any Error>) -> Void)?,
        on queue: DispatchQueue?
    ) {
        guard let handler else { return }
        if let queue { queue.async { handler(result) } } else { callbacks.post(CallbackBlock { handler(result) }) }
    }
}
