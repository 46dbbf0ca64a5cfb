// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// What one task does, as an async sequence, which ends after ``TaskEvent/completed(_:)``. See ``SessionTask/timeline``.
///
/// At most ``capacity`` events wait for a reader; more push out the oldest, and are counted. One reader; a second one gets
/// what the first leaves.
public struct TaskTimeline: AsyncSequence, Sendable {
    /// The number of events that wait for a reader at most.
    public static let capacity = 1_000

    /// Passes events on to one timeline. It does not retain the task once that has ended.
    final class Feed: Sendable {
        private let continuation: AsyncStream<TaskObservation>.Continuation
        private let dropped = Atomic<Int>(0)

        fileprivate init(_ continuation: AsyncStream<TaskObservation>.Continuation) { self.continuation = continuation }

        fileprivate var droppedCount: Int { dropped.load(ordering: .relaxed) }

        func add(_ observation: TaskObservation) {
            if case .dropped = continuation.yield(observation) { dropped.add(1, ordering: .relaxed) }
            if case .completed = observation.event { continuation.finish() }
        }

        func finish() { continuation.finish() }
    }

    private let events: AsyncStream<TaskObservation>
    let feed: Feed

    init() {
        let (events, continuation) = AsyncStream.makeStream(
            of: TaskObservation.self, bufferingPolicy: .bufferingNewest(Self.capacity))
        self.events = events
        feed = Feed(continuation)
    }

    /// The number of events that were pushed out so far, because nobody read them in time.
    public var droppedCount: Int { feed.droppedCount }

    /// Returns an iterator over the events.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(events: events.makeAsyncIterator()) }

    /// Iterates over the events.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var events: AsyncStream<TaskObservation>.AsyncIterator

        /// The next event; nil after the last.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> TaskObservation? {
            await events.next(isolation: actor)
        }
    }
}
