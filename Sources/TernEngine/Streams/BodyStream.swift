// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernIO
import TernLock

/// The delegate of `Session.bytes(for:)`: a queue between the reactor and one reader, which pauses and resumes the
/// socket.
///
/// Waking a thread costs as much as receiving 50 KB. So a reader on another thread that waits for a large body is woken
/// for half a megabyte, or when arrivals pause.
///
/// A reader is resumed once because it is moved out of the state for that, which justifies `@safe`.
@safe
final class BodyStream: ContentReceiver, ArrivalReader, Sendable {
    /// A reader waits patiently for content of which at least this much is to come.
    private static let bulk = TickAllowance.maximum
    /// The number of bytes that a patient reader waits for: the socket will not be paused before it reads.
    private static let portion = Valve.highWater - 64 * 1024

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
        /// The loop will call when arrivals pause.
        var isListed = false
        /// The number of bytes known to come, as of the last request for a buffer.
        var contentLeft = 0

        mutating func next() -> Result<Data?, SessionError>? {
            if let piece = content.popFirst() { return .success(piece) }
            switch end {
            case .success: return .success(nil)
            case .failure(let error): return .failure(error)
            case nil: return nil
            }
        }

        mutating func received(_ bytes: Span<UInt8>, of task: SessionTask) -> Consequence {
            content.append(bytes)
            contentLeft = max(0, contentLeft - bytes.count)
            guard unsafe reader != nil else {
                return valve.fill(to: content.count, from: task).map { .hold($0) } ?? .nothing
            }
            guard let loop, !readsOnLoop, content.count < BodyStream.portion else {
                return takeReader().map { .wake($0) } ?? .nothing
            }
            if isListed { return .nothing }
            isListed = true
            return .callWhenQuiet(loop, isPatient: contentLeft >= BodyStream.bulk)
        }

        mutating func takeReader() -> Reader? {
            defer { unsafe reader = nil }
            return unsafe reader.map { unsafe Reader(continuation: $0, loop: loop) }
        }
    }

    /// What follows from the arrival of bytes.
    private enum Consequence {
        case nothing
        case hold(SessionTask)
        case wake(Reader)
        case callWhenQuiet(ReactorLoop, isPatient: Bool)
    }

    @safe
    private struct Reader {
        let continuation: UnsafeContinuation<Void, Never>
        let loop: ReactorLoop?

        /// Together with the others of a tick.
        func wake() {
            if let loop { unsafe loop.resume(continuation) } else { unsafe continuation.resume() }
        }

        /// At the end of the tick, and so at once.
        func wakeNow() { unsafe continuation.resume() }
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

    /// Takes the available bytes, and resumes the socket once none are left.
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
        state.withLock { state in
            state.contentLeft = count
            unsafe room = state.content.room(for: count)
        }
        return unsafe room
    }

    func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) {
        switch state.withLock({ $0.received(bytes, of: task) }) {
        case .nothing: break
        case .hold(let task): task.hold()
        case .wake(let reader): reader.wake()
        case .callWhenQuiet(let loop, let isPatient): loop.callWhenQuiet(self, isPatient: isPatient)
        }
    }

    func arrivalsPaused() {
        let reader = state.withLock { state in
            state.isListed = false
            // A reader that has come since waits for more.
            return state.content.isEmpty ? nil : state.takeReader()
        }
        reader?.wakeNow()
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
