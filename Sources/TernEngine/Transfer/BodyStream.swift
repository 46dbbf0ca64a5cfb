// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Synchronization
import TernHTTP1
import TernIO

/// The delegate behind `Session.bytes(for:)`: a queue between the reactor and one reader, with the socket as its valve.
final class BodyStream: SessionDataDelegate, Sendable {
    /// The socket stops above the first mark and starts again below the second, in bytes.
    private static let highWater = 256 * 1024
    private static let lowWater = 64 * 1024

    private struct State {
        var chunks: [Data] = []
        var buffered = 0
        var isSuspended = false
        var end: Result<Void, EngineError>?
        var trailers = HTTPFields()
        var headReader: CheckedContinuation<Result<HTTPURLResponse, EngineError>, Never>?
        var chunkReader: CheckedContinuation<Result<Data?, EngineError>, Never>?
    }

    private let state = Lock(State())

    /// Starts `task` and waits for the head of its response.
    func response(of task: DataTask) async -> Result<HTTPURLResponse, EngineError> {
        await withCheckedContinuation { continuation in
            state.withLock { $0.headReader = continuation }
            task.resume()
        }
    }

    /// The next bytes; nil at the end.
    func next(of task: DataTask) async -> Result<Data?, EngineError> {
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

    private func takeChunk(of task: DataTask) -> Result<Data?, EngineError>? {
        let (ready, resumes) = state.withLock { state in
            let ready = Self.ready(&state)
            let resumes = state.isSuspended && state.buffered <= Self.lowWater
            if resumes { state.isSuspended = false }
            return (ready, resumes)
        }
        if resumes { task.release() }
        return ready
    }

    private static func ready(_ state: inout State) -> Result<Data?, EngineError>? {
        if !state.chunks.isEmpty {
            // What has piled up leaves as one: fewer wake-ups for a reader that is behind.
            var data = state.chunks.removeFirst()
            for chunk in state.chunks { data.append(chunk) }
            state.chunks.removeAll(keepingCapacity: true)
            state.buffered = 0
            return .success(data)
        }
        switch state.end {
        case .success: return .success(nil)
        case .failure(let error): return .failure(error)
        case nil: return nil
        }
    }

    func task(_ task: DataTask, didReceive response: HTTPURLResponse) {
        let reader = state.withLock { $0.headReader.take() }
        reader?.resume(returning: .success(response))
    }

    func task(_ task: DataTask, didReceive bytes: Span<UInt8>) {
        // The span is lent for this call; Data copies out of it.
        let chunk = unsafe bytes.withUnsafeBufferPointer { unsafe Data($0) }
        let (reader, suspends) = state.withLock { state in
            if let reader = state.chunkReader.take() { return (Optional(reader), false) }
            state.chunks.append(chunk)
            state.buffered += chunk.count
            let suspends = state.buffered > Self.highWater && !state.isSuspended
            if suspends { state.isSuspended = true }
            return (nil, suspends)
        }
        if suspends { task.hold() }
        reader?.resume(returning: .success(chunk))
    }

    func task(_ task: DataTask, didReceiveTrailers trailers: HTTPFields) {
        state.withLock { $0.trailers = trailers }
    }

    func task(_ task: DataTask, didCompleteWith error: EngineError?) {
        let (head, chunk) = state.withLock { state in
            state.end = error.map { .failure($0) } ?? .success(())
            return (state.headReader.take(), state.chunkReader.take())
        }
        head?.resume(returning: .failure(error ?? task.error(.connectionLost(nil), phase: .head)))
        chunk?.resume(returning: error.map { .failure($0) } ?? .success(nil))
    }
}
