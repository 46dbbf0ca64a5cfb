// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import TernLock
import TernWebSocket

/// The messages of a request's WebSockets, one after another, for those who listen to them. Calls them on the callback queue,
/// or from there on their own.
final class WebSocketMessages: Sendable {
    typealias Event = WebSocketRequest.Event

    struct Listener: Sendable {
        let queue: DispatchQueue?
        let handler: @Sendable (Event) -> Void
    }

    fileprivate struct State {
        var listeners: [Listener] = []
        /// The one whose messages are received, or were.
        var socket: WebSocket?
        var isReceiving = false
        /// What follows the messages.
        var endings: [(Event, Listener)] = []
    }

    let calls = WebSocketCalls()
    private let callbacks: CallbackQueue
    private let state = Lock(State())

    init(_ callbacks: CallbackQueue) { self.callbacks = callbacks }

    func add(_ listener: Listener) {
        state.withLock { $0.listeners.append(listener) }
        begin()
    }

    func open(_ socket: WebSocket) {
        calls.open(socket)
        begin()
    }

    /// The request is over. On the callback queue.
    func complete(_ completion: WebSocketRequest.Completion, _ listener: Listener) {
        let (waits, released) = state.withLock { state -> (Bool, [Listener]) in
            if state.isReceiving { state.endings.append((.completed(completion), listener)) }
            return (state.isReceiving, state.isReceiving ? [] : state.takeListeners())
        }
        if !waits { tell(.completed(completion), to: [listener]) {} }
        withExtendedLifetime(released) {}
    }

    /// Receives the messages of the latest WebSocket, once those of the one before have been told.
    private func begin() {
        guard let socket = calls.socket else { return }
        let begins = state.withLock { state in
            if state.listeners.isEmpty || state.isReceiving || state.socket === socket { return false }
            (state.socket, state.isReceiving) = (socket, true)
            return true
        }
        if begins { post { self.tell(.connected(protocol: socket.subprotocol)) { self.receive(from: socket) } } }
    }

    private func receive(from socket: WebSocket) {
        socket.receive { result in
            self.post {
                switch result {
                case .success(let message): self.tell(.receivedMessage(message)) { self.receive(from: socket) }
                case .failure(let error): self.end(error)
                }
            }
        }
    }

    private func end(_ error: SessionError) {
        guard case .transfer(.webSocket(.closed(let close))) = error.reason else { return finish() }
        tell(.disconnected(closeCode: close.code, reason: close.reason)) { self.finish() }
    }

    private func finish() {
        let (endings, released) = state.withLock { state in
            defer { (state.isReceiving, state.endings) = (false, []) }
            return (state.endings, state.endings.isEmpty ? [] : state.takeListeners())
        }
        for (event, listener) in endings { tell(event, to: [listener]) {} }
        withExtendedLifetime(released) {}
        begin()
    }

    private func tell(_ event: Event, then next: @escaping @Sendable () -> Void) {
        tell(event, to: state.withLock { $0.listeners[...] }, then: next)
    }

    private func tell(_ event: Event, to listeners: ArraySlice<Listener>, then next: @escaping @Sendable () -> Void) {
        guard let listener = listeners.first else { return next() }
        guard let queue = listener.queue else {
            listener.handler(event)
            return tell(event, to: listeners.dropFirst(), then: next)
        }
        queue.async {
            listener.handler(event)
            self.post { self.tell(event, to: listeners.dropFirst(), then: next) }
        }
    }

    private func post(_ body: @escaping @Sendable () -> Void) { callbacks.post(CallbackBlock(body)) }
}

extension WebSocketMessages.State {
    /// Released outside the lock: their closures may have the last reference to a request.
    fileprivate mutating func takeListeners() -> [WebSocketMessages.Listener] {
        defer { listeners = [] }
        return listeners
    }
}

/// Opens WebSockets.
struct WebSocketConvertible: TaskConvertible {
    let urlRequest: URLRequest
    let configuration: WebSocketConfiguration
    let messages: WebSocketMessages

    func task(_ adapted: URLRequest, telling delegate: TaskDelegate) -> SessionTask {
        let task = WebSocketRequestTask(adapted, configuration.offering(what: adapted), messages, delegate)
        task.announce()
        return task
    }
}

private final class WebSocketRequestTask: UpgradeTask, UpgradeOwner, WebSocketObserver, @unchecked Sendable {
    private let configuration: WebSocketConfiguration
    private let handshake: OpeningHandshake
    private let messages: WebSocketMessages

    init(
        _ request: URLRequest, _ configuration: WebSocketConfiguration, _ messages: WebSocketMessages,
        _ delegate: TaskDelegate
    ) {
        (self.configuration, self.messages) = (configuration, messages)
        handshake = OpeningHandshake(configuration)
        super.init(
            request, sending: handshake.request(request), in: delegate.context.session, delegate: delegate.receiver)
    }

    func take(_ stream: StreamTask, _ response: HTTPURLResponse) throws(SessionError) {
        messages.open(try handshake.open(stream, response, configuration, observer: self))
    }

    func ended(_ error: SessionError?) {}

    func webSocketDidClose(with close: WebSocketClose, error: SessionError?) {}

    func webSocketDidEnd(_ error: SessionError?) { upgradeEnded(error) }
}
