// SPDX-License-Identifier: Apache-2.0

/// The events of a URL, as they come (WHATWG HTML §9.2), across connections: a stream that ends or breaks off is taken
/// up again where it was. Nothing is asked for before somebody iterates, and each iterator asks for itself.
///
/// The iteration ends when the server answers 204, or when the stream has ended and is not to be taken up again. It
/// throws what the first request throws, ``StreamedContentError/notEvents(status:contentType:)`` for an answer that is
/// no stream of events, ``StreamedContentError/eventTooLarge(limit:)``, and otherwise what no ``ReconnectionPolicy``
/// helps against. Reading slowly slows the server down. Ending the iteration, letting go of the iterator or cancelling
/// the Swift task it runs in closes the connection. Keeps its session alive.
public struct ServerSentEvents: AsyncSequence, Sendable {
    /// One event.
    public typealias Element = ServerSentEvent
    typealias Connect =
        @Sendable (URLRequest) async throws(EngineError) -> (bytes: BodyBytes, response: HTTPURLResponse)
    typealias Sleep = @Sendable (Duration) async throws -> Void

    let request: URLRequest
    let policy: ReconnectionPolicy
    let limit: Int
    let connect: Connect
    let sleep: Sleep

    /// Starts with the first call of its `next()`.
    public func makeAsyncIterator() -> Iterator { Iterator(feed: EventFeed(self)) }

    /// Takes the events of a ``ServerSentEvents`` one after another.
    public struct Iterator: AsyncIteratorProtocol {
        let feed: EventFeed

        /// The next event, as soon as it is complete; nil when there will be none, and after an error.
        public mutating func next() async throws(EngineError) -> ServerSentEvent? { try await feed.next() }

        /// The same for a caller isolated to an actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(EngineError) -> ServerSentEvent?
        {
            try await feed.next()
        }
    }
}
