// SPDX-License-Identifier: Apache-2.0

/// The events of a URL, as they arrive (WHATWG HTML §9.2), across connections: a stream that ends or is interrupted is
/// resumed. The first request is sent when an iteration begins, and each iterator sends its own.
///
/// The iteration ends when the server responds with 204, or when the stream has ended and is not to be resumed. It
/// throws the error of the first request, ``StreamedBodyError/notEvents(status:contentType:)`` for a response that is
/// not an event stream, ``StreamedBodyError/eventTooLarge(limit:)``, and every other error that a
/// ``ReconnectionPolicy`` does not handle. Reading slowly slows the server down. Ending the iteration, releasing the
/// iterator or cancelling its Swift task closes the connection. Retains its session.
public struct ServerSentEvents: AsyncSequence, Sendable {
    /// One event.
    public typealias Element = ServerSentEvent
    typealias Connect =
        @Sendable (URLRequest) async throws(SessionError) -> (bytes: BodyBytes, response: HTTPURLResponse)
    typealias Sleep = @Sendable (Duration) async throws -> Void

    let request: URLRequest
    let policy: ReconnectionPolicy
    let limit: Int
    let connect: Connect
    let sleep: Sleep

    /// Starts with the first call of its `next()`.
    public func makeAsyncIterator() -> Iterator { Iterator(feed: EventFeed(self)) }

    /// Returns the events of a ``ServerSentEvents`` one after another.
    public struct Iterator: AsyncIteratorProtocol {
        let feed: EventFeed

        /// Returns the next event, as soon as it is complete; nil when there are no more, and after an error.
        public mutating func next() async throws(SessionError) -> ServerSentEvent? { try await feed.next() }

        /// The same for a caller isolated to an actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(SessionError) -> ServerSentEvent?
        {
            try await feed.next()
        }
    }
}
