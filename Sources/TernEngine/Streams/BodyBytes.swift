// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
public import TernHTTP1

/// A response body as it arrives, in chunks of up to about 256 KB. For one reader.
///
/// A reader outside of the session's reactors that waits for a body of known length, of which 256 KB or more are to come,
/// receives its bytes half a megabyte at a time, as soon as nothing has arrived for 0.2 ms, or after a millisecond: waking
/// a thread costs as much as receiving 50 KB. All other bytes are delivered as they arrive.
///
/// Throws `SessionError` if the body is interrupted: a truncated body never looks complete. Retains its session.
///
/// Releasing the sequence and its iterators, as when an iteration ends early, ends the response. If the rest of it is
/// known to be at most ``maximumDrainedSize``, it is drained, for a second at most, so that the connection can be
/// reused. Otherwise the connection is closed at once, and the server stops: a body whose length is unknown, such as a
/// stream of events, is never drained. Cancelling always closes.
public struct BodyBytes: AsyncSequence, Sendable {
    /// A chunk of the body, never empty.
    public typealias Element = Data

    /// Ends the response when the last copy of the sequence and its iterators is released.
    fileprivate final class Lease: Sendable {
        let task: SessionTask
        private let keptAlive: any AnyObject & Sendable

        init(task: SessionTask, keptAlive: any AnyObject & Sendable) {
            self.task = task
            self.keptAlive = keptAlive
        }

        deinit { task.abandonBody() }
    }

    /// The maximum size, in bytes on the wire, of the unread rest of a body that is drained so that its connection can
    /// be reused.
    public static let maximumDrainedSize = Connection.maximumDrainedSize

    private let stream: BodyStream
    private let lease: Lease

    /// Retains `keptAlive` as long as the body can be read.
    init(stream: BodyStream, task: SessionTask, keptAlive: any AnyObject & Sendable) {
        self.stream = stream
        lease = Lease(task: task, keptAlive: keptAlive)
    }

    /// The trailer fields after the body; empty before the end and if there were none.
    public var trailers: HeaderFields { stream.trailers }

    /// The trailer fields that are not allowed as trailers (RFC 9110 §6.5.1), such as `Set-Cookie`; they have no
    /// effect.
    public var discardedTrailers: HeaderFields { stream.discardedTrailers }

    /// All iterators share one body: a chunk that one has taken is not delivered to another.
    public func makeAsyncIterator() -> Iterator {
        Iterator(stream: stream, lease: lease)
    }

    /// Returns the chunks of a ``BodyBytes`` one after another.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let stream: BodyStream
        fileprivate let lease: Lease

        /// The error of an iterator that cannot interpret the bytes.
        package func error(_ error: StreamedBodyError) -> SessionError {
            SessionError(
                .transfer(.unreadable(error)), phase: .body,
                origin: try? lease.task.originalRequest.destination.get().origin, wasSent: true)
        }

        /// Returns the next chunk, as soon as there is one; nil at the end of the body. Cancelling the waiting Swift
        /// task cancels the request.
        public mutating func next() async throws(SessionError) -> Data? {
            try await stream.next(of: lease.task).get()
        }

        /// The same for a caller isolated to an actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(SessionError) -> Data? {
            try await stream.next(of: lease.task).get()
        }
    }
}
