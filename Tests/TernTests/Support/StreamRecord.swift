// SPDX-License-Identifier: Apache-2.0
import TernLock

/// What was done to a stream, in order.
final class StreamRecord: Sendable {
    enum Event: Sendable, Equatable {
        case open
        /// With this much room.
        case read(Int)
        case close
    }

    private let all = Lock<[Event]>([])
    private let stream: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    var events: [Event] { all.withLock { $0 } }

    func add(_ event: Event) {
        all.withLock { $0.append(event) }
        continuation.yield(event)
    }

    /// Waits for the next time it happens.
    func next(_ event: Event) async { _ = await stream.first { $0 == event } }
}
