// SPDX-License-Identifier: Apache-2.0

/// Decodes the responses of successive exchanges.
struct ResponseDecoder: ~Copyable {
    private let limits: ParsingLimits
    private let leniency: ParsingLeniency
    private let headRules: SectionRules
    private let trailerRules: SectionRules
    private var section = SectionDecoder()
    private var chunks = ChunkedDecoder()
    private var request = RequestTraits()
    private var informationalResponses = 0

    private(set) var state = Receiving.idle
    /// The number of bytes of this exchange's response consumed so far, all heads included.
    private(set) var received = 0
    /// The number of bytes after the end of the response when it was found.
    private(set) var leftover = 0
    /// What the final head allows (RFC 9112 §9.3).
    private(set) var isPersistent = false
    /// The traits of the last head.
    private var headers = FramingHeaders()
    /// The final head, or a 100 (Continue), has arrived: content need not wait any more.
    private(set) var hasAnswer = false

    init(_ limits: ParsingLimits, _ leniency: ParsingLeniency) {
        let limits = limits.clamped
        self.limits = limits
        self.leniency = leniency
        headRules = .header(limits, leniency)
        trailerRules = .trailer(limits)
    }

    mutating func begin(_ request: RequestTraits) {
        self.request = request
        informationalResponses = 0
        received = 0
        leftover = 0
        isPersistent = false
        headers = FramingHeaders()
        hasAnswer = false
        section.begin(at: 0)
        state = .head
    }

    var keepAlive: KeepAlive? { headers.keepAlive }

    var contentLeft: Int { if case .exactly(let left) = state { left } else { 0 } }

    /// Fast path for content within a chunk, which changes only the count of bytes left. `nil` has no meaning and no
    /// effect: call ``receive(_:from:)`` then.
    @inline(__always)
    mutating func receiveFastPath(_ bytes: Span<UInt8>, from offset: inout Int) -> Range<Int>? {
        guard case .chunked = state, offset >= 0, offset <= bytes.count else { return nil }
        let start = offset
        guard let data = chunks.decodeFastPath(bytes, from: &offset, limits) else { return nil }
        received = received.addingSaturating(offset &- start)
        return data
    }

    /// Fails closed: the state is `failed` until a branch sets the next one, so an error path needs no cleanup.
    @inline(__always)
    mutating func receive(_ bytes: Span<UInt8>, from offset: inout Int) throws(HTTPProtocolError) -> ResponseEvent {
        guard offset >= 0, offset <= bytes.count else {
            offset = bytes.count
            return .needMoreBytes
        }
        let start = offset
        defer { received = received.addingSaturating(offset &- start) }
        switch exchange(&state, with: .failed) {
        case .head: return try decodeHead(bytes, from: &offset)
        case .exactly(let left): return decodeExactly(left, bytes, from: &offset)
        case .chunked: return try decodeChunks(bytes, from: &offset)
        case .untilClose: return decodeRest(bytes, from: &offset)
        case .ending: return complete(leftover: bytes.count &- offset)
        case .handingOver, .handedOver:
            state = .handedOver
            return .handedOver
        case .idle: return try expectNothing(.idle, bytes, from: offset)
        case .closed: return try expectNothing(.closed, bytes, from: offset)
        case .complete: return try expectNothing(.complete, bytes, from: offset)
        case .failed: throw HTTPProtocolError(.misuse(.failed))
        }
    }

    private mutating func decodeHead(
        _ bytes: Span<UInt8>, from offset: inout Int
    ) throws(HTTPProtocolError) -> ResponseEvent {
        // The position of `bytes` in the response.
        let origin = received &- offset
        var headers = FramingHeaders()
        let (start, leniency, request) = (section.start, leniency, request)
        guard
            let block = try section.decode(
                bytes, from: &offset, headRules,
                inspect: { (bytes, positions, statusLine) throws(HTTPProtocolError) in
                    do throws(FramingHeaders.Refusal) {
                        try headers.read(
                            bytes, positions, version: statusLine.version, leniency,
                            ignoringFraming: request.isConnect && statusLine.status / 100 == 2)
                        return headers.contentLength
                    } catch {
                        let excerpt =
                            Excerpt.of(bytes, error.position.name) + ": " + Excerpt.of(bytes, error.position.value)
                        throw HTTPProtocolError(
                            .framing(error.reason), offset: start.addingSaturating(error.offset), excerpt: excerpt)
                    }
                }), let statusLine = section.statusLine
        else {
            state = .head
            return .needMoreBytes
        }
        self.headers = headers
        let status = Int(statusLine.status)
        let head = ResponseHead(block)
        if status / 100 == 1, status != 101 {
            try countInformational(head)
            section.begin(at: origin &+ offset)
            state = .head
            return .informational(head)
        }
        if status == 101, !request.asksUpgrade {
            throw HTTPProtocolError(.unsolicited(.upgrade), offset: section.start.addingSaturating(9), excerpt: "101")
        }
        let framing = BodyFraming(status: status, to: request, headers)
        isPersistent = Persistence.isGranted(headers, version: statusLine.version, framing) && !request.asksClose
        hasAnswer = true
        switch framing {
        case .none: state = .ending
        case .handover: state = .handingOver
        case .exactly(let length): state = .exactly(left: length)
        case .untilClose: state = .untilClose
        case .chunked:
            chunks.begin()
            state = .chunked
        }
        return .head(head)
    }

    private mutating func countInformational(_ head: ResponseHead) throws(HTTPProtocolError) {
        guard informationalResponses < limits.maximumInformationalResponseCount else {
            throw HTTPProtocolError(
                .limit(.informationalResponseCount), offset: section.start, excerpt: "\(head.status)")
        }
        informationalResponses &+= 1
        if head.status == 100 { hasAnswer = true }
    }

    private mutating func decodeExactly(_ left: Int, _ bytes: Span<UInt8>, from offset: inout Int) -> ResponseEvent {
        guard left > 0 else { return complete(leftover: bytes.count &- offset) }
        let available = min(left, bytes.count &- offset)
        state = .exactly(left: left &- available)
        guard available > 0 else { return .needMoreBytes }
        let body = offset..<(offset &+ available)
        offset = body.upperBound
        return .body(body)
    }

    private mutating func decodeRest(_ bytes: Span<UInt8>, from offset: inout Int) -> ResponseEvent {
        state = .untilClose
        guard offset < bytes.count else { return .needMoreBytes }
        let body = offset..<bytes.count
        offset = bytes.count
        return .body(body)
    }

    private mutating func expectNothing(
        _ current: Receiving, _ bytes: Span<UInt8>, from offset: Int
    ) throws(HTTPProtocolError) -> ResponseEvent {
        guard offset == bytes.count else {
            throw HTTPProtocolError(
                .unsolicited(.bytes), offset: received,
                excerpt: Excerpt.of(bytes, offset..<min(offset.addingSaturating(32), bytes.count)))
        }
        state = current
        return .needMoreBytes
    }

    private mutating func decodeChunks(
        _ bytes: Span<UInt8>, from offset: inout Int
    ) throws(HTTPProtocolError) -> ResponseEvent {
        let wasInTrailers = chunks.isInTrailers
        // The position of `bytes` in the response.
        let origin = received &- offset
        switch try chunks.decode(bytes, from: &offset, origin: origin, limits, leniency) {
        case .needMoreBytes:
            state = .chunked
            return .needMoreBytes
        case .data(let range):
            state = .chunked
            return .body(range)
        case .trailers:
            if !wasInTrailers { section.begin(at: origin &+ offset) }
            guard let block = try section.decode(bytes, from: &offset, trailerRules, inspect: { _, _, _ in nil }) else {
                state = .chunked
                return .needMoreBytes
            }
            let (trailers, discarded) = TrailerRules.sort(block.fields)
            return complete(leftover: bytes.count &- offset, trailers: trailers, discarded: discarded)
        }
    }

    private mutating func complete(
        leftover: Int, trailers: HeaderFields = HeaderFields(), discarded: HeaderFields = HeaderFields()
    ) -> ResponseEvent {
        state = .complete
        self.leftover = leftover
        return .end(trailers: trailers, discarded: discarded)
    }

    mutating func receiveEndOfStream() throws(HTTPProtocolError) -> ResponseEvent {
        isPersistent = false
        let truncation: HTTPProtocolError.Truncation
        switch state {
        case .idle, .closed:
            state = .closed
            return .end(trailers: HeaderFields(), discarded: HeaderFields())
        case .complete: return .end(trailers: HeaderFields(), discarded: HeaderFields())
        case .untilClose, .ending, .exactly(left: 0): return complete(leftover: 0)
        case .handingOver, .handedOver:
            state = .handedOver
            return .handedOver
        case .head: truncation = received == 0 ? .beforeResponse : .head
        case .exactly(let left): truncation = .content(missing: left)
        case .chunked: truncation = chunks.isInTrailers ? .trailers : .chunkedContent
        case .failed: throw HTTPProtocolError(.misuse(.failed))
        }
        state = .failed
        throw HTTPProtocolError(.truncated(truncation), offset: received)
    }
}

/// What ``Exchange/receive(_:from:)`` found.
public enum ResponseEvent: Sendable {
    /// All given bytes are consumed, and the message continues.
    case needMoreBytes
    /// An informational response, any 1xx but 101; the final one is still to come (RFC 9110 §15.2).
    case informational(ResponseHead)
    /// The head of the final response.
    case head(ResponseHead)
    /// Content: a range of the span given, not a copy.
    case body(Range<Int>)
    /// The response is complete. Trailers are separate from the header section, because their meaning there may differ
    /// (RFC 9110 §6.5.1). `discarded` are trailer fields that are not allowed as trailers, such as `Set-Cookie` or
    /// `Content-Length`: they are reported and never applied.
    case end(trailers: HeaderFields, discarded: HeaderFields)
    /// After the head of a 101, or of a 2xx to CONNECT: the unconsumed bytes belong to the next protocol.
    case handedOver
}

/// The state of receiving a response.
enum Receiving {
    /// No request yet. Exits: `head`, `closed`.
    case idle
    /// The peer closed before a request. No exit.
    case closed
    /// Before or within a head. Exits: itself after an informational one, and all of the next five.
    case head
    /// The number of content bytes left. Exit: `complete`.
    case exactly(left: Int)
    /// Within the chunked coding or its trailers. Exit: `complete`.
    case chunked
    /// In content that is delimited by the connection's end. Exit: `complete`.
    case untilClose
    /// The response has no content; its end is not yet reported. Exit: `complete`.
    case ending
    /// The response has no content; the handover is not yet reported. Exit: `handedOver`.
    case handingOver
    /// Exit: `head`, with the next exchange.
    case complete
    /// No exit.
    case handedOver
    /// No exit.
    case failed

    /// No bytes are expected.
    var isAtRest: Bool {
        switch self {
        case .idle, .closed, .complete: true
        case .head, .exactly, .chunked, .untilClose, .ending, .handingOver, .handedOver, .failed: false
        }
    }
}
