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
        let waiter = state.withLock { state -> Waiter? in
            let waiter = state.waiters.popFirst()
            if case .handler? = waiter { return waiter }
            state.messages.append(message)
            state.cost += Self.cost(of: message)
            return waiter
        }
        switch waiter {
        case nil: break
        case .continuation(let continuation)?: unsafe host.resume(continuation)
        case .handler(let handler)?: handler(.success(message))
        }
    }

    /// No message will come after this error.
    func end(_ error: SessionError) {
        let waiters = state.withLock { state -> [Waiter] in
            if state.end == nil { state.end = error }
            var waiters: [Waiter] = []
            while let waiter = state.waiters.popFirst() { waiters.append(waiter) }
            return waiters
        }
        for waiter in waiters {
            switch waiter {
            case .continuation(let continuation): unsafe continuation.resume()
            case .handler(let handler): handler(.failure(error))
            }
        }
    }

    enum Taken {
        case message(WebSocketMessage)
        case ended(SessionError)
        /// The waiter is called.
        case nothing
    }

    /// Takes the next message, or waits for it. Whether the reactor waits for the room that this makes.
    func take(_ waiter: Waiter?) -> (Taken, makesRoom: Bool) {
        state.withLock { state in
            if let message = state.messages.popFirst() {
                state.cost -= Self.cost(of: message)
                let makesRoom = state.isStopped && state.cost < Self.enough / 2
                if makesRoom { state.isStopped = false }
                return (.message(message), makesRoom)
            }
            if let end = state.end { return (.ended(end), false) }
            if let waiter = waiter { state.waiters.append(waiter) }
            return (.nothing, false)
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

    /// Discards what nobody will receive.
    func clear() {
        let messages = state.withLock { state in
            defer { state.cost = 0 }
            var messages: [WebSocketMessage] = []
            while let message = state.messages.popFirst() { messages.append(message) }
            return messages
        }
        withExtendedLifetime(messages) {}
    }
}
