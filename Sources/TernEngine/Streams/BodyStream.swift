// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernIO
import TernLock

/// The delegate of `Session.bytes(for:)`: a queue between the reactor and one reader, which pauses and resumes the
/// socket.
///
/// A reader is resumed once because it is moved out of the state for that, which justifies `@safe`.
@safe
final class BodyStream: ContentReceiver, Sendable {
    @safe
    private struct State {
        var content = WaitingContent()
        var valve = Valve()
        var head: Result<HTTPURLResponse, SessionError>?
        var end: Result<Void, SessionError>?
        var trailers = HeaderFields()
        var discardedTrailers = HeaderFields()
        /// The reader that waits for a change of any of these.
        var reader: UnsafeContinuation<Void, Never>?
        /// The loop on which the response arrives.
        var loop: ReactorLoop?
        /// The reader waits on the loop's own thread, which need not be woken.
        var readsOnLoop = false

        mutating func next() -> Result<Data?, SessionError>? {
            if let piece = content.popFirst() { return .success(piece) }
            switch end {
            case .success: return .success(nil)
            case .failure(let error): return .failure(error)
            case nil: return nil
            }
        }

        mutating func takeReader() -> Reader? {
            defer { unsafe reader = nil }
            return unsafe reader.map { unsafe Reader(continuation: $0, loop: loop, isOnLoop: readsOnLoop) }
        }
    }

    /// Resumed together with the others of a tick, when more bytes may have arrived.
    @safe
    private struct Reader {
        let continuation: UnsafeContinuation<Void, Never>
        let loop: ReactorLoop?
        let isOnLoop: Bool

        func wake() {
            if let loop { unsafe loop.resume(continuation) } else { unsafe continuation.resume() }
        }

        /// More may arrive in a moment; except on the loop that the reader waits on.
        func wakeSoon() {
            guard let loop, !isOnLoop else { return wake() }
            unsafe loop.resumeWhenQuiet(continuation)
        }
    }

    private let state = Lock(State())

    /// Starts `task` and waits for the head of its response.
    func response(of task: SessionTask) async -> Result<HTTPURLResponse, SessionError> {
        await unsafe withUnsafeContinuation { continuation in
            state.withLock { unsafe $0.reader = continuation }
            task.resume(runsInline: true)
        }
        let head = state.withLock { $0.head }
        return head ?? .failure(task.error(.transfer(.connectionLost(nil)), phase: .head))
    }

    /// Returns the next bytes; nil at the end.
    func next(of task: SessionTask) async -> Result<Data?, SessionError> {
        while true {
            if let next = takeNext() { return next }
            // A concurrent second reader gets the same as a second iterator: the end.
            var isReader = true
            await withTaskCancellationHandler {
                await unsafe withUnsafeContinuation { continuation in
                    isReader = unsafe wait(with: continuation)
                }
            } onCancel: {
                task.cancel()
            }
            if !isReader { return .success(nil) }
        }
    }

    /// Resumes `continuation` when there is more. False if another reader waits already.
    private func wait(with continuation: UnsafeContinuation<Void, Never>) -> Bool {
        let (isReader, waits) = state.withLock { state in
            let isReader = unsafe state.reader == nil
            guard isReader, state.content.isEmpty, state.end == nil else { return (isReader, false) }
            unsafe state.reader = continuation
            state.readsOnLoop = state.loop?.isCurrent == true
            return (true, true)
        }
        if !waits { unsafe continuation.resume() }
        return isReader
    }

    /// Takes the available bytes, and resumes the socket.
    private func takeNext() -> Result<Data?, SessionError>? {
        let (next, held) = state.withLock { state in
            let next = state.next()
            return (next, state.content.isEmpty ? state.valve.drain() : nil)
        }
        held?.release()
        return next
    }

    var trailers: HeaderFields { state.withLock { $0.trailers } }

    var discardedTrailers: HeaderFields { state.withLock { $0.discardedTrailers } }

    func task(_ task: SessionTask, didReceive response: HTTPURLResponse) {
        let loop = task.loop
        let reader = state.withLock { state in
            state.head = .success(response)
            state.loop = loop
            return state.takeReader()
        }
        reader?.wake()
    }

    func room(for count: Int) -> UnsafeMutableRawBufferPointer? {
        // Lent to the thread that fills it, and released only there.
        nonisolated(unsafe) var room: UnsafeMutableRawBufferPointer?
        state.withLock { state in unsafe room = state.content.room(for: count) }
        return unsafe room
    }

    func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) {
        let (reader, held) = state.withLock { state in
            state.content.append(bytes)
            if let reader = state.takeReader() { return (Optional(reader), SessionTask?.none) }
            return (nil, state.valve.fill(to: state.content.count, from: task))
        }
        held?.hold()
        reader?.wakeSoon()
    }

    func task(_ task: SessionTask, didReceiveTrailers trailers: HeaderFields) {
        state.withLock { $0.trailers = trailers }
    }

    func task(_ task: SessionTask, didDiscardTrailers discarded: HeaderFields) {
        state.withLock { $0.discardedTrailers = discarded }
    }

    func task(_ task: SessionTask, didCompleteWith error: SessionError?) {
        let reader = state.withLock { state in
            state.end = error.map { .failure($0) } ?? .success(())
            if state.head == nil {
                state.head = .failure(error ?? task.error(.transfer(.connectionLost(nil)), phase: .head))
            }
            return state.takeReader()
        }
        reader?.wake()
    }
}
