// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine
import TernIO
import TernLock

/// The messages that have arrived and nobody has received, and those who wait for one.
///
/// The reactor adds, any thread takes. Each waiter is resumed once because it is taken from the queue first, which
/// justifies `@safe`.
@safe
final class MessageInbox: Sendable {
    /// No more is received while messages wait that cost this much together.
    private static let enough = 64 * 1024
    /// What a message costs besides its bytes.
    private static let overhead = 128

    @safe
    enum Waiter: Sendable {
        /// It is resumed, and takes a message then.
        case continuation(UnsafeContinuation<Void, Never>)
        case handler(@Sendable (Result<WebSocketMessage, SessionError>) -> Void)
    }

    private struct State: ~Copyable {
        var messages = WorkQueue<WebSocketMessage>()
        var cost = 0
        var waiters = WorkQueue<Waiter>()
        /// What follows the messages.
        var end: SessionError?
        /// Whether the reactor waits for room.
        var isStopped = false

        /// Whether a handler runs, which may ask for the next message: it is called when that has returned.
        var isServing = false

        /// The same as `next()` unless a handler runs.
        mutating func serve() -> (Waiter, WebSocketMessage?)? {
            if isServing { return nil }
            let next = next()
            if case .handler? = next?.0 { isServing = true }
            return next
        }

        /// Who is next, if there is a message, which a handler takes.
        mutating func next() -> (Waiter, WebSocketMessage?)? {
            guard !messages.isEmpty, let waiter = waiters.popFirst() else { return nil }
            guard case .handler = waiter, let message = messages.popFirst() else { return (waiter, nil) }
            cost -= MessageInbox.cost(of: message)
            return (waiter, message)
        }
    }

    private let state = Lock(State())

    private static func cost(of message: WebSocketMessage) -> Int {
        switch message {
        case .text(let text): text.utf8.count + overhead
        case .data(let data): data.count + overhead
        }
    }

    /// Whether there is room for another message. The reactor calls it; one that gets no is told when there is room.
    var hasRoom: Bool {
        state.withLock { state in
            state.isStopped = state.cost >= Self.enough
            return !state.isStopped
        }
    }

    /// On the reactor's thread.
    func add(_ message: WebSocketMessage, on host: any WebSocketHost) {
        let first = state.withLock { state in
            state.messages.append(message)
            state.cost += Self.cost(of: message)
            return state.serve()
        }
        serve(first, on: host)
    }

    /// Calls handlers that wait with messages that do. On the reactor's thread.
    func serve(on host: any WebSocketHost) { serve(state.withLock { $0.serve() }, on: host) }

    private func serve(_ first: (Waiter, WebSocketMessage?)?, on host: any WebSocketHost) {
        var next = first
        while let (waiter, message) = next {
            switch waiter {
            // It takes the message by itself.
            case .continuation(let continuation): return unsafe host.resume(continuation)
            case .handler(let handler): if let message { handler(.success(message)) }
            }
            next = state.withLock { state in
                state.isServing = false
                return state.serve()
            }
        }
    }

    /// No message will come after this error.
    func end(_ error: SessionError) {
        let waiters = state.withLock { state -> [(Waiter, WebSocketMessage?)] in
            var waiters: [(Waiter, WebSocketMessage?)] = []
            while let next = state.next() { waiters.append(next) }
            if state.end == nil { state.end = error }
            while let waiter = state.waiters.popFirst() { waiters.append((waiter, nil)) }
            return waiters
        }
        for (waiter, message) in waiters {
            switch waiter {
            case .continuation(let continuation): unsafe continuation.resume()
            case .handler(let handler): handler(message.map { .success($0) } ?? .failure(error))
            }
        }
    }

    enum Taken {
        case message(WebSocketMessage)
        case ended(SessionError)
        /// The waiter is called.
        case nothing
    }

    /// Takes the next message, or waits for it. Whether the reactor must go on: there is room, or a message for the waiter, which
    /// it calls before the end.
    func take(_ waiter: Waiter?) -> (Taken, needsReactor: Bool) {
        state.withLock { state in
            if let waiter, state.end == nil {
                state.waiters.append(waiter)
                return (.nothing, !state.messages.isEmpty)
            }
            if let message = state.messages.popFirst() {
                state.cost -= Self.cost(of: message)
                let makesRoom = state.isStopped && state.cost < Self.enough / 2
                if makesRoom { state.isStopped = false }
                return (.message(message), makesRoom)
            }
            return (state.end.map { .ended($0) } ?? .nothing, false)
        }
    }

    /// Waits until there is something to take; false if there is.
    @unsafe func wait(_ continuation: UnsafeContinuation<Void, Never>) -> Bool {
        state.withLock { state in
            guard state.messages.isEmpty, state.end == nil else { return false }
            state.waiters.append(unsafe .continuation(continuation))
            return true
        }
    }
}
