// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
import TernHTTP1

/// The events of a URL, as they arrive (WHATWG HTML §9.2), across connections: a stream that ends or is interrupted is
/// resumed. The first request is sent when an iteration begins, and each iterator sends its own.
///
/// The iteration ends when the server responds with 204, or when the stream has ended and is not to be resumed. It
/// throws the error of the first request, ``StreamedBodyError/notEvents(status:contentType:)`` for a response that is
/// not an event stream (unless a ``RetryPolicy`` names its status, and the stream was open before),
/// ``StreamedBodyError/eventTooLarge(limit:)``, and every other error that a ``ReconnectionPolicy`` does not handle.
/// Reading slowly slows the server down. Ending the iteration, releasing the iterator or cancelling its Swift task closes
/// the connection. Retains its session.
public struct ServerSentEvents: AsyncSequence, Sendable {
    /// One event.
    public typealias Element = ServerSentEvent
    typealias Connect =
        @Sendable (URLRequest) async throws(SessionError) -> (bytes: BodyBytes, response: HTTPURLResponse)
    typealias Sleep = @Sendable (Duration) async throws -> Void

    let request: URLRequest
    let policy: ReconnectionPolicy
    /// The policy of the request, or else the session's.
    let retries: RetryPolicy
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

/// The data of events as JSON values, as they arrive: an answer of a language model is one. For each iterator as
/// ``ServerSentEvents``, whose errors it throws.
///
/// Throws ``StreamedBodyError/undecodableEvent(_:)`` for data that is not such a value. After an error there are no more
/// values.
public struct DecodedEvents<Element: Decodable>: AsyncSequence, Sendable {
    fileprivate let events: ServerSentEvents
    fileprivate let decoder: JSONDecoder
    fileprivate let endMark: String?

    /// Starts with the first call of its `next()`.
    public func makeAsyncIterator() -> Iterator { Iterator(values: self, feed: EventFeed(events)) }

    /// Returns the values of a ``DecodedEvents`` one after another.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let values: DecodedEvents
        fileprivate let feed: EventFeed

        /// Returns the next value, as soon as its event is complete; nil when there are no more, and after an error.
        public mutating func next() async throws(SessionError) -> Element? { try value(of: try await feed.next()) }

        /// The same for a caller isolated to an actor.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(SessionError) -> Element? {
            try value(of: try await feed.next())
        }

        private func value(of event: ServerSentEvent?) throws(SessionError) -> Element? {
            guard let event else { return nil }
            if event.data == values.endMark {
                feed.end()
                return nil
            }
            do {
                return try Data(event.data.utf8).decoded(decoder: values.decoder)
            } catch {
                throw feed.stop(.undecodableEvent(error))
            }
        }
    }
}

extension ServerSentEvents {
    /// The data of the events as JSON values. With an event whose data is `endMark`, such as the `[DONE]` of language models,
    /// the stream ends; nil stands for none.
    public func decoded<Value: Decodable>(
        as type: Value.Type, decoder: JSONDecoder = JSONDecoder(), endMark: String? = nil
    ) -> DecodedEvents<Value> {
        DecodedEvents(events: self, decoder: decoder, endMark: endMark)
    }
}

/// Requests a stream of events, reads it, and resumes it: for one reader.
final class EventFeed {
    private let events: ServerSentEvents
    private var reconnection: Reconnection
    private var parser: EventParser
    /// The open stream, if any.
    private var bytes: BodyBytes.Iterator?
    private var piece = Data()
    private var offset = 0
    private var retry: Int?
    private var isOver = false

    init(_ events: ServerSentEvents) {
        self.events = events
        reconnection = Reconnection(events.policy, events.retries)
        parser = EventParser(limit: events.limit)
    }

    func next() async throws(SessionError) -> ServerSentEvent? {
        while !isOver {
            if let event = try takeNext() { return event }
            do throws(SessionError) {
                if bytes == nil {
                    try await open()
                } else if let piece = try await bytes?.next() {
                    (self.piece, offset) = (piece, 0)
                } else {
                    try await ended(nil)
                }
            } catch let error where !isOver {
                try await ended(error)
            }
        }
        return nil
    }

    private func takeNext() throws(SessionError) -> ServerSentEvent? {
        do throws(EventParser.TooLarge) {
            return try parser.next(in: piece.span, from: &offset)
        } catch {
            throw stop(.eventTooLarge(limit: error.limit))
        }
    }

    private func open() async throws(SessionError) {
        let (bytes, response) = try await events.connect(request)
        if response.statusCode == 204 {
            reconnection.dismissed()
            isOver = true
            return
        }
        self.bytes = bytes.makeAsyncIterator()
        let type = response.value(forHTTPHeaderField: "Content-Type")
        guard response.statusCode == 200, Self.isEventStream(type) else {
            let error = self.error(.notEvents(status: response.statusCode, contentType: type))
            return try await ended(error, answer: response.head)
        }
        guard response.isContentDecoded || AppliedCodings(of: response.head).areIdentity else {
            throw stop(.codedEvents(response.value(forHTTPHeaderField: "Content-Encoding") ?? ""))
        }
        reconnection.opened()
        parser = EventParser(limit: events.limit, lastEventID: parser.lastEventID)
    }

    /// The given ID, then the ID where the last stream ended.
    private var request: URLRequest {
        var request = events.request
        request.retryPolicy = reconnection.retryPolicy
        // An ID that is not a valid field value is not sent: then the server starts again.
        if !parser.lastEventID.isEmpty, Self.isSendable(parser.lastEventID) {
            request.setValue(parser.lastEventID, forHTTPHeaderField: "Last-Event-ID")
        }
        return request
    }

    private func ended(_ error: SessionError?, answer: ResponseHead? = nil) async throws(SessionError) {
        bytes = nil
        (piece, offset) = (Data(), 0)
        retry = parser.reconnectionTime ?? retry
        switch reconnection.ended(error, answer: answer, retry: retry) {
        case .end: isOver = true
        case .fail(let error):
            isOver = true
            throw error
        case .ask(let delay):
            do {
                try await events.sleep(delay)
            } catch {
                isOver = true
                throw SessionError(.cancelled, phase: .request)
            }
        }
    }

    /// There are no more events: the connection is closed.
    func end() { (bytes, isOver) = (nil, true) }

    func stop(_ error: StreamedBodyError) -> SessionError {
        defer { end() }
        return self.error(error)
    }

    private func error(_ error: StreamedBodyError) -> SessionError {
        bytes?.error(error) ?? SessionError(.transfer(.unreadable(error)), phase: .body)
    }

    /// Parameters are ignored: the text is UTF-8 (WHATWG HTML §9.2.5).
    private static func isEventStream(_ type: String?) -> Bool {
        let name = type?.utf8.prefix(64).prefix { $0 != UInt8(ascii: ";") } ?? ""[...].utf8
        return Substring(name).lowercased().trimmingBlanks == "text/event-stream"
    }

    /// Control characters other than the tab are invalid in a field value (RFC 9110 §5.5).
    private static func isSendable(_ id: String) -> Bool {
        id.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }
}
