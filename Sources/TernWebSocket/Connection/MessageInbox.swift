// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine
import TernIO
import TernLock

/// The messages that have arrived and nobody has received, and those who wait for one.
///
/// The reactor adds, any thread takes. Who waits is called by the reactor, so that a handler that asks for the next message
/// is not called within itself; and once, because it is taken from the queue first, which justifies `@safe`.
@safe
final class MessageInbox: Sendable {
    /// No more is received while messages wait that cost this much together.
    private static let enough = 64 * 1024
    /// What a message costs besides its bytes.
    private static let overhead = 128

    typealias Handler = @Sendable (Result<WebSocketMessage, SessionError>) -> Void

    /// Who waits for a message, or for the end.
    @safe
    private enum Waiter: Sendable {
        /// It is resumed, and takes a message then.
        case continuation(UnsafeContinuation<Void, Never>)
        case handler(Handler)
    }

    /// What the reactor does for the first that waits.
    @safe
    enum Call {
        case resume(UnsafeContinuation<Void, Never>)
        case call(Handler, Result<WebSocketMessage, SessionError>)
    }

    private struct State: ~Copyable {
        var messages = WorkQueue<WebSocketMessage>()
        var cost = 0
        var waiters = WorkQueue<Waiter>()
        /// What follows the messages.
        var end: SessionError?
        /// Whether the reactor waits for room.
        var isStopped = false

        mutating func next() -> Result<WebSocketMessage, SessionError>? {
            guard let message = messages.popFirst() else { return end.map { .failure($0) } }
            cost -= MessageInbox.cost(of: message)
            return .success(message)
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

    func add(_ message: WebSocketMessage) {
        state.withLock { state in
            state.messages.append(message)
            state.cost += Self.cost(of: message)
        }
    }

    /// No message will come after this error.
    func end(_ error: SessionError) {
        state.withLock { state in if state.end == nil { state.end = error } }
    }

    /// The first that waits, if there is something for it.
    func nextCall() -> Call? {
        state.withLock { state in
            switch state.waiters.elements.first.flatMap(\.self) {
            case .continuation(let continuation)?:
                if state.messages.isEmpty, state.end == nil { return nil }
                _ = state.waiters.popFirst()
                return unsafe .resume(continuation)
            case .handler(let handler)?:
                guard let result = state.next() else { return nil }
                _ = state.waiters.popFirst()
                return .call(handler, result)
            case nil: return nil
            }
        }
    }

    /// Adds a handler; false if the reactor has to call it now.
    func waits(_ handler: @escaping Handler) -> Bool {
        state.withLock { state in
            state.waiters.append(.handler(handler))
            return state.messages.isEmpty && state.end == nil
        }
    }

    /// Takes the next message, or the error after the last; nil if there is neither yet. Whether the reactor waits for the room
    /// that this makes.
    func take() -> (Result<WebSocketMessage, SessionError>?, makesRoom: Bool) {
        state.withLock { state in
            let result = state.next()
            let makesRoom = state.isStopped && state.cost < Self.enough / 2
            if makesRoom { state.isStopped = false }
            return (result, makesRoom)
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
