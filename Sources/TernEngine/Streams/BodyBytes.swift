// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
public import TernHTTP1

/// A response body as it comes, in pieces of up to about 256 KB. For one reader.
///
/// Throws `SessionError` where the body breaks off: a truncated body never looks complete. Keeps its session alive.
///
/// Letting go of the sequence and its iterators, by which an iteration that is left early ends, ends the response. If
/// what is left of it is known to be no more than ``maximumDrainedSize``, it is received and dropped, for a second at most,
/// so that the connection can be used again. Otherwise the connection is closed at once, and the server stops: a body
/// whose length is not known, such as a stream of events, is never waited for. Cancelling always closes.
public struct BodyBytes: AsyncSequence, Sendable {
    /// A piece of the body, never empty.
    public typealias Element = Data

    /// Ends the response when the last copy of the sequence and its iterators are gone.
    fileprivate final class Lease: Sendable {
        let task: SessionTask
        private let keptAlive: any AnyObject & Sendable

        init(task: SessionTask, keptAlive: any AnyObject & Sendable) {
            self.task = task
            self.keptAlive = keptAlive
        }

        deinit { task.abandonBody() }
    }

    /// The maximum size, in bytes as they travel, of the rest of a body that is received for the sake of its connection
    /// although it is not read.
    public static let maximumDrainedSize = Connection.maximumDrainedSize

    private let stream: BodyStream
    private let lease: Lease

    /// Holds on to `keptAlive` as long as anybody may read.
    init(stream: BodyStream, task: SessionTask, keptAlive: any AnyObject & Sendable) {
        self.stream = stream
        lease = Lease(task: task, keptAlive: keptAlive)
    }

    /// The trailer fields that came after the body; empty before the end and when there were none.
    public var trailers: HeaderFields { stream.trailers }

    /// The fields that came among the trailers and may not (RFC 9110 §6.5.1), such as `Set-Cookie`; nothing obeys them.
    public var discardedTrailers: HeaderFields { stream.discardedTrailers }

    /// All iterators share one body: what one has taken no other gets.
    public func makeAsyncIterator() -> Iterator {
        Iterator(stream: stream, lease: lease)
    }

    /// Takes the pieces of a ``BodyBytes`` one after another.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let stream: BodyStream
        fileprivate let lease: Lease

        /// The error of an iterator to which the bytes make no sense.
        func error(_ error: StreamedBodyError) -> SessionError {
            SessionError(
                .transfer(.unreadable(error)), phase: .body,
                origin: try? lease.task.originalRequest.destination.get().origin, wasSent: true)
        }

        /// The next piece, as soon as there is one; nil at the end of the body. Cancelling the Swift task that waits
        /// cancels the request.
        public mutating func next() async throws(SessionError) -> Data? {
            try await stream.next(of: lease.task).get()
        }

        /// The same for a caller isolated to an actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(SessionError) -> Data? {
            try await stream.next(of: lease.task).get()
        }
    }
}
