// SPDX-License-Identifier: Apache-2.0
package import TernEngine
import TernLock

/// Calls to a WebSocket that may not be open yet: they wait for it, and are then made in their order.
package final class WebSocketCalls: Sendable {
    /// Gets the WebSocket, or why it was not opened.
    package typealias Call = @Sendable (Result<WebSocket, SessionError>) -> Void

    fileprivate enum Stage {
        /// Exits: open, over.
        case opening([Call])
        /// Also after its end: messages may be there. Exit: open, with another one.
        case open(WebSocket)
        /// It was never opened. Exit: none.
        case over(SessionError)
    }

    private let stage = Lock(Stage.opening([]))

    package init() {}

    /// The WebSocket; nil before it is open.
    package var socket: WebSocket? { stage.withLock { if case .open(let socket) = $0 { socket } else { nil } } }

    /// Makes a call, now or when the WebSocket is open.
    package func ask(_ call: @escaping Call) {
        let result = stage.withLock { stage -> Result<WebSocket, SessionError>? in
            switch stage {
            case .opening(let calls):
                stage = .opening(calls + [call])
                return nil
            case .open(let socket): return .success(socket)
            case .over(let error): return .failure(error)
            }
        }
        if let result { call(result) }
    }

    /// The WebSocket is open.
    package func open(_ socket: WebSocket) {
        // Those that come meanwhile are made after those that have waited.
        while let calls = stage.withLock({ $0.callsBefore(socket) }) {
            for call in calls { call(.success(socket)) }
        }
    }

    /// It will not be opened any more. Of no effect once it was.
    package func fail(_ error: SessionError) {
        let calls = stage.withLock { stage -> [Call] in
            guard case .opening(let calls) = stage else { return [] }
            stage = .over(error)
            return calls
        }
        for call in calls { call(.failure(error)) }
    }
}

extension WebSocketCalls.Stage {
    /// Opens it unless calls wait: takes these.
    fileprivate mutating func callsBefore(_ socket: WebSocket) -> [WebSocketCalls.Call]? {
        guard case .opening(let calls) = self, !calls.isEmpty else {
            self = .open(socket)
            return nil
        }
        self = .opening([])
        return calls
    }
}

// The calls of those who hand results on.
extension WebSocketCalls {
    package func send(_ message: WebSocketMessage, _ completion: @escaping @Sendable (SessionError?) -> Void) {
        ask { result in
            switch result {
            case .success(let socket): socket.send(message, completionHandler: completion)
            case .failure(let error): completion(error)
            }
        }
    }

    package func receive(_ completion: @escaping @Sendable (Result<WebSocketMessage, SessionError>) -> Void) {
        ask { result in
            switch result {
            case .success(let socket): socket.receive(completionHandler: completion)
            case .failure(let error): completion(.failure(error))
            }
        }
    }

    package func ping(_ completion: @escaping @Sendable (Result<Duration, SessionError>) -> Void) {
        ask { result in
            switch result {
            case .success(let socket): socket.ping(completionHandler: completion)
            case .failure(let error): completion(.failure(error))
            }
        }
    }
}
