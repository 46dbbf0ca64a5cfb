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
/// manager.webSocketRequest(to: "wss://example.com/chat")
///     .streamMessages { message in print(message) }
///     .send(.text("hello"))
/// ```
open class WebSocketRequest: Request, @unchecked Sendable {
    /// What happens on a WebSocket.
    public enum Event<Message: Sendable>: Sendable {
        /// It is open, and the server has chosen this subprotocol; nil for none.
        case connected(protocol: String?)
        /// A message has arrived.
        case receivedMessage(Message)
        /// A message has arrived that cannot be decoded.
        case serializerFailed(any Error)
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
        on queue: DispatchQueue? = nil, handler: @escaping @Sendable (Event<WebSocketMessage>) -> Void
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

    /// Calls the handler with each event, as ``streamMessageEvents(on:handler:)`` does, and decodes the messages.
    @preconcurrency @discardableResult
    public func streamDecodableEvents<Value: Decodable & Sendable & SendableMetatype>(
        of type: Value.Type = Value.self, on queue: DispatchQueue? = nil, decoder: JSONDecoder = JSONDecoder(),
        handler: @escaping @Sendable (Event<Value>) -> Void
    ) -> Self {
        streamMessageEvents(on: queue) { handler($0.decoded(as: type, by: decoder)) }
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
    open func sendPing(queue: DispatchQueue? = nil, completionHandler: (@Sendable (Result<Duration, any Error>) -> Void)? = nil) -> Self {
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

extension WebSocketRequest.Event<WebSocketMessage> {
    fileprivate func decoded<Value: Decodable & Sendable>(
        as type: Value.Type, by decoder: JSONDecoder
    ) -> WebSocketRequest.Event<Value> {
        switch self {
        case .connected(let chosen): return .connected(protocol: chosen)
        case .receivedMessage(let message):
            do {
                let data = switch message {
                case .text(let text): Data(text.utf8)
                case .data(let data): data
                }
                return .receivedMessage(try decoder.decode(type, from: data))
            } catch {
                return .serializerFailed(error)
            }
        case .serializerFailed(let error): return .serializerFailed(error)
        case .disconnected(let code, let reason): return .disconnected(closeCode: code, reason: reason)
        case .completed(let completion): return .completed(completion)
        }
    }
}

extension RequestContext {
    fileprivate func pass<Value: Sendable>(
        _ result: Result<Value, any Error>, to handler: (@Sendable (Result<Value, any Error>) -> Void)?, on queue: DispatchQueue?
    ) {
        guard let handler else { return }
        if let queue { queue.async { handler(result) } } else { callbacks.post(CallbackBlock { handler(result) }) }
    }
}

extension SessionManager {
    /// Opens a WebSocket. The request's handlers receive any error.
    ///
    /// - Parameters:
    ///   - url: a URL with the scheme ws, wss, http or https.
    ///   - configuration: how it is opened and kept.
    ///   - headers: header fields, in place of the session's of the same name.
    @discardableResult
    public func webSocketRequest(
        to url: any URLConvertible, configuration: WebSocketConfiguration = WebSocketConfiguration(),
        headers: HTTPHeaders? = nil
    ) -> WebSocketRequest {
        start(WebSocketRequest(Result { try makeRequest(url, .get, headers) }, configuration, context: context))
    }

    /// Opens a WebSocket with a request: a GET without a body.
    @discardableResult
    public func webSocketRequest(
        performing urlRequest: any URLRequestConvertible,
        configuration: WebSocketConfiguration = WebSocketConfiguration()
    ) -> WebSocketRequest {
        start(WebSocketRequest(Result { try urlRequest.asURLRequest() }, configuration, context: context))
    }
}
