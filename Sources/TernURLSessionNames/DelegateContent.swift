// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine
import TernFoundation
import TernLock

/// The content of a streamed request that came without a stream: the delegate is asked for one when the server is ready for
/// the first byte.
final class DelegateContent: BodySource {
    private struct State {
        var place: Place?
        var source: (any BodySource)?
        var wake: (@Sendable () -> Void)?
        var isAsked = false
        var isOver = false
    }

    private struct Place: Sendable {
        weak let session: Session?
        weak let task: SessionTask?
        weak let hub: DelegateHub?
    }

    private let state = Lock(State())

    /// The task was created.
    func adopt(by task: SessionTask, of session: Session, _ hub: DelegateHub) {
        state.withLock { $0.place = Place(session: session, task: task, hub: hub) }
        askOnce()
    }

    func next(atMost count: Int, wake: @escaping @Sendable () -> Void) -> BodyPiece {
        let source = state.withLock { state in
            if state.source == nil { state.wake = wake }
            return state.source
        }
        if let source { return source.next(atMost: count, wake: wake) }
        askOnce()
        return .later
    }

    func finish() {
        let source = state.withLock { state in
            (state.isOver, state.wake) = (true, nil)
            return state.source.take()
        }
        source?.finish()
    }

    /// Asks if the content is wanted, and the task is known.
    private func askOnce() {
        let place = state.withLock { state -> Place? in
            guard let place = state.place, state.wake != nil, !state.isAsked else { return nil }
            state.isAsked = true
            return place
        }
        guard let hub = place?.hub else { return }
        hub.events.perform {
            guard let session = place?.session, let task = place?.task else { return }
            hub.askForStream(of: task, in: session) { self.take($0) }
        }
    }

    private func take(_ stream: InputStream?) {
        // The delegate hands the stream over.
        nonisolated(unsafe) let received = stream
        let source = unsafe Self.source(of: received)
        let (wake, unwanted) = state.withLock { state -> ((@Sendable () -> Void)?, (any BodySource)?) in
            guard state.source == nil, !state.isOver else { return (nil, source) }
            state.source = source
            return (state.wake.take(), nil)
        }
        unwanted?.finish()
        wake?()
    }

    private static func source(of stream: sending InputStream?) -> any BodySource {
        guard let stream, case .once(let source, _) = RequestBody.inputStream(stream) else { return NoContent() }
        return source
    }
}

private final class NoContent: BodySource {
    func next(atMost count: Int, wake: @escaping @Sendable () -> Void) -> BodyPiece { .end() }

    func finish() {}
}
