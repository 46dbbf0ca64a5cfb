// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernLock

/// The delegate behind `Session.bytes(for:)`: a queue between the reactor and one reader, with the socket as its valve.
final class BodyStream: SessionTaskDelegate, Sendable {
    /// The socket stops when more bytes than this wait for the reader, and starts again when he has taken them.
    private static let highWater = 256 * 1024

    private struct State {
        /// What has come and was not asked for yet. It leaves as one: fewer wake-ups for a reader who is behind.
        var buffer = Data()
        var isHeld = false
        var end: Result<Void, EngineError>?
        var trailers = HTTPFields()
        var discardedTrailers = HTTPFields()
        var headReader: CheckedContinuation<Result<HTTPURLResponse, EngineError>, Never>?
        var chunkReader: CheckedContinuation<Result<Data?, EngineError>, Never>?
    }

    private let state = Lock(State())

    /// Starts `task` and waits for the head of its response.
    func response(of task: SessionTask) async -> Result<HTTPURLResponse, EngineError> {
        await withCheckedContinuation { continuation in
            state.withLock { $0.headReader = continuation }
            task.resume()
        }
    }

    /// The next bytes; nil at the end.
    func next(of task: SessionTask) async -> Result<Data?, EngineError> {
        if let ready = takeChunk(of: task) { return ready }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready: Result<Data?, EngineError>? = state.withLock { state in
                    if let ready = Self.ready(&state) { return ready }
                    // A second reader at the same time gets what a second iterator gets: the end.
                    if state.chunkReader != nil { return .success(nil) }
                    state.chunkReader = continuation
                    return nil
                }
                if let ready { continuation.resume(returning: ready) }
            }
        } onCancel: {
            task.cancel()
        }
    }

    var trailers: HTTPFields { state.withLock { $0.trailers } }

    var discardedTrailers: HTTPFields { state.withLock { $0.discardedTrailers } }

    private func takeChunk(of task: SessionTask) -> Result<Data?, EngineError>? {
        let (ready, releases) = state.withLock { state in
            let ready = Self.ready(&state)
            defer { state.isHeld = false }
            return (ready, state.isHeld)
        }
        if releases { task.release() }
        return ready
    }

    private static func ready(_ state: inout State) -> Result<Data?, EngineError>? {
        if !state.buffer.isEmpty {
            defer { state.buffer = Data() }
            return .success(state.buffer)
        }
        switch state.end {
        case .success: return .success(nil)
        case .failure(let error): return .failure(error)
        case nil: return nil
        }
    }

    func task(_ task: SessionTask, didReceive response: HTTPURLResponse) {
        let reader = state.withLock { $0.headReader.take() }
        reader?.resume(returning: .success(response))
    }

    func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) {
        let (reader, chunk, holds) = state.withLock { state in
            state.buffer.append(bytes)
            if let reader = state.chunkReader.take() {
                defer { state.buffer = Data() }
                return (Optional(reader), state.buffer, false)
            }
            let holds = state.buffer.count > Self.highWater && !state.isHeld
            if holds { state.isHeld = true }
            return (nil, Data(), holds)
        }
        if holds { task.hold() }
        reader?.resume(returning: .success(chunk))
    }

    func task(_ task: SessionTask, didReceiveTrailers trailers: HTTPFields) {
        state.withLock { $0.trailers = trailers }
    }

    func task(_ task: SessionTask, didDiscardTrailers discarded: HTTPFields) {
        state.withLock { $0.discardedTrailers = discarded }
    }

    func task(_ task: SessionTask, didCompleteWith error: EngineError?) {
        let (head, chunk) = state.withLock { state in
            state.end = error.map { .failure($0) } ?? .success(())
            return (state.headReader.take(), state.chunkReader.take())
        }
        head?.resume(returning: .failure(error ?? task.error(.connectionLost(nil), phase: .head)))
        chunk?.resume(returning: error.map { .failure($0) } ?? .success(nil))
    }
}
