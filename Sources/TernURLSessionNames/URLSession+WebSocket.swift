// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine

extension Session {
    /// Creates a task that opens a WebSocket with a GET of this URL, whose scheme is `ws`, `wss`, `http` or `https`. `resume()`
    /// starts it. The handshake is a request like any other: redirects, challenges and metrics are told to the delegate.
    public func webSocketTask(with url: URL) -> URLSessionWebSocketTask { webSocketTask(with: URLRequest(url: url)) }

    /// The same, and offers subprotocols, the preferred one first.
    public func webSocketTask(with url: URL, protocols: [String]) -> URLSessionWebSocketTask {
        webSocketTask(URLSessionWebSocketTask(URLRequest(url: url), protocols, in: self, telling: audience))
    }

    /// The same with a request, whose header section may have a `Sec-WebSocket-Protocol` field.
    public func webSocketTask(with request: URLRequest) -> URLSessionWebSocketTask {
        webSocketTask(URLSessionWebSocketTask(request, [], in: self, telling: audience))
    }

    private func webSocketTask(_ task: URLSessionWebSocketTask) -> URLSessionWebSocketTask {
        task.announce(to: self)
        return task
    }

    /// The hub has all of it on the queue of the session, in order with the events of the tasks.
    private var audience: WebSocketAudience {
        guard let hub else { return WebSocketAudience() }
        // A task that the program keeps does not keep the delegate.
        return WebSocketAudience { [weak hub, queue = hub.queue] body in
            if hub?.forward({ _ in body() }) != true { queue.addOperation(QueuedBlock(body)) }
        } opened: { [weak hub] task, chosen in
            hub?.tell(task) { $0.urlSession($1, webSocketTask: task, didOpenWithProtocol: chosen) }
        } closed: { [weak hub] task, code, reason in
            hub?.tell(task) { $0.urlSession($1, webSocketTask: task, didCloseWith: code, reason: reason) }
        }
    }
}

extension DelegateHub {
    fileprivate func tell(
        _ task: URLSessionWebSocketTask,
        _ body: @escaping @Sendable (any URLSessionWebSocketDelegate, URLSession) -> Void
    ) {
        _ = forward { [self] session in
            if let delegate = listener(of: task, \.webSocket) { body(delegate, session) }
        }
    }
}
