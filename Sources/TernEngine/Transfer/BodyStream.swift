// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernLock

/// The delegate behind `Session.bytes(for:)`: a queue between the reactor and one reader, with the socket as its valve.
final class BodyStream: SessionTaskDelegate, Sendable {
    private struct State {
        /// What has come and was not asked for yet. It leaves as one: fewer wake-ups for a reader who is behind.
        var buffer = Data()
        var valve = Valve()
        var end: Result<Void, EngineError>?
        var trailers = HTTPFields()
        var discardedTrailers = HTTPFields()
        var headReader: CheckedContinuation<Result<HTTPURLResponse, EngineError>, Never>?
        var chunkReader: CheckedContinuation<Result<Data?, EngineError>, Never>?

        mutating func ready() -> Result<Data?, EngineError>? {
            if !buffer.isEmpty {
                defer { buffer = Data() }
                return .success(buffer)
            }
            switch end {
            case .success: return .success(nil)
            case .failure(let error): return .failure(error)
            case nil: return nil
            }
        }
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
        if let ready = take({ $0.ready() }) { return ready }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ready = take { state in
                    if let ready = state.ready() { return ready }
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

    /// Takes what there is, and lets the socket go on.
    private func take(_ body: (inout State) -> Result<Data?, EngineError>?) -> Result<Data?, EngineError>? {
        let (ready, held) = state.withLock { state in
            let ready = body(&state)
            return (ready, state.valve.drain())
        }
        held?.release()
        return ready
    }

    func task(_ task: SessionTask, didReceive response: HTTPURLResponse) {
        let reader = state.withLock { $0.headReader.take() }
        reader?.resume(returning: .success(response))
    }

    func task(_ task: SessionTask, didReceive bytes: Span<UInt8>) {
        let (reader, chunk, held) = state.withLock { state in
            state.buffer.append(bytes)
            if let reader = state.chunkReader.take() {
                defer { state.buffer = Data() }
                return (Optional(reader), state.buffer, SessionTask?.none)
            }
            return (nil, Data(), state.valve.fill(to: state.buffer.count, from: task))
        }
        held?.hold()
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
        head?.resume(returning: .failure(error ?? task.error(.transfer(.connectionLost(nil)), phase: .head)))
        chunk?.resume(returning: error.map { .failure($0) } ?? .success(nil))
    }
}
