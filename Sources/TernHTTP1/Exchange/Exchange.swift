// SPDX-License-Identifier: Apache-2.0

/// The message state of one connection, reused for every exchange on it: a request out, a response back.
///
/// A value without I/O: the caller writes the bytes of `output` and passes in the bytes it reads; bytes become events.
/// Sending and receiving are separate state machines, because a server may answer before it has read everything;
/// ``isReusable`` joins them. After a decoding error an exchange decodes nothing more.
public struct Exchange: ~Copyable, Sendable {
    private var sending = Sending.idle
    private var decoder: ResponseDecoder
    private var traits = RequestTraits()

    // Stored rather than computed: a computed property would copy this large value.
    /// Whether HTTP allows this connection another exchange. One of the conditions: its owner decides.
    ///
    /// The request was sent whole, the response was decoded whole without bytes after it, and both sides keep the
    /// connection alive (RFC 9112 §9.3). `false` before the first exchange of a connection.
    public private(set) var isReusable = false
    /// Whether any byte of the current exchange's response has arrived. If not, and the connection was reused, a
    /// request may be safe to repeat.
    public private(set) var hasReceivedAnything = false
    /// Whether the request expects 100 (Continue) before its content, and no answer has arrived. Servers may not answer
    /// at all: wait for about a second at most (RFC 9110 §10.1.1).
    public private(set) var isAwaitingContinue = false
    /// What the last response's `Keep-Alive` field announced.
    public private(set) var keepAlive: KeepAlive?
    /// The number of content bytes that come next, before any other event; 0 if unknown, or if there is no content.
    public private(set) var contentLeft = 0

    /// - Parameters:
    ///   - limits: the maximum sizes of a response.
    ///   - leniency: the relaxed rules; none by default.
    public init(limits: ParsingLimits = ParsingLimits(), leniency: ParsingLeniency = []) {
        decoder = ResponseDecoder(limits, leniency)
    }

    /// Begins an exchange: appends the encoded head to `output`.
    ///
    /// `Host` comes first; the head's fields follow as they are, then those of `defaults` whose name the head does not
    /// have, then the framing of `body`.
    /// - Throws: ``HTTPProtocolError`` when the connection is not ready for an exchange or the head cannot be encoded.
    ///   Then `output` is unchanged and no exchange has begun.
    public mutating func begin(
        _ head: borrowing RequestHead, body: RequestBodyFraming, defaults: DefaultFields, into output: inout [UInt8]
    ) throws(HTTPProtocolError) {
        guard isUnused || isReusable else { throw HTTPProtocolError(.misuse(.notReusable)) }
        defer { settle() }
        traits = try RequestEncoder.encode(head, body, defaults, into: &output)
        switch body {
        case .none, .exactly(0): sending = .complete
        case .exactly(let length): sending = .exactly(left: length)
        case .chunked: sending = .chunked
        }
        decoder.begin(traits)
    }

    /// Appends content to `output`, framed as the head announced. Without bytes, no chunk is written.
    /// - Throws: ``HTTPProtocolError`` when the content exceeds the announced length, or no content is due; `output` is
    ///   unchanged.
    public mutating func sendBody(_ bytes: Span<UInt8>, into output: inout [UInt8]) throws(HTTPProtocolError) {
        guard !bytes.isEmpty else { return }
        guard case .chunked = sending else {
            try sendBody(count: bytes.count)
            output.append(copying: bytes, 0..<bytes.count)
            return
        }
        output.append(contentsOf: String(bytes.count, radix: 16).utf8)
        output.append(contentsOf: "\r\n".utf8)
        output.append(copying: bytes, 0..<bytes.count)
        output.append(contentsOf: "\r\n".utf8)
    }

    /// Counts `count` bytes of an ``RequestBodyFraming/exactly(_:)`` body that the caller sends itself, uncopied.
    /// - Throws: ``HTTPProtocolError`` when the content exceeds the announced length, or no such body is due.
    public mutating func sendBody(count: Int) throws(HTTPProtocolError) {
        guard count != 0 else { return }
        guard count > 0 else { throw failSending(.request(.negativeLength)) }
        switch sending {
        case .exactly(let left) where count <= left: sending = .exactly(left: left &- count)
        case .exactly(let left): throw failSending(.request(.tooMuchContent(excess: count &- left)))
        case .complete: throw failSending(.request(.tooMuchContent(excess: count)))
        case .idle, .chunked: throw HTTPProtocolError(.misuse(.nothingToSend))
        case .failed: throw HTTPProtocolError(.misuse(.failed))
        }
    }

    /// Ends the content. Required after `.exactly` and `.chunked` bodies, optional after none. Trailers are written
    /// after the last chunk of a `.chunked` body (RFC 9112 §7.1.2).
    /// - Throws: ``HTTPProtocolError`` when content is missing or a trailer cannot be encoded; `output` is unchanged.
    public mutating func finishSending(
        trailers: HeaderFields = [:], into output: inout [UInt8]
    ) throws(HTTPProtocolError) {
        defer { settle() }
        switch sending {
        case .idle: throw HTTPProtocolError(.misuse(.nothingToSend))
        case .failed: throw HTTPProtocolError(.misuse(.failed))
        case .exactly(let left) where left > 0: throw failSending(.request(.tooLittleContent(missing: left)))
        case .exactly, .complete:
            guard trailers.isEmpty else { throw failSending(.request(.trailersWithoutChunked)) }
        case .chunked:
            try encodeTrailers(trailers, into: &output)
        }
        sending = .complete
    }

    /// Decodes from `bytes[offset...]`, moving `offset` past the consumed bytes. Call it until it returns
    /// `.needMoreBytes`, `.end` or `.handedOver`. The exchange keeps a copy of an incomplete line, so the caller need
    /// not keep `bytes`.
    /// - Throws: ``HTTPProtocolError`` with the first broken rule. The connection is no longer usable.
    public mutating func receive(_ bytes: Span<UInt8>, from offset: inout Int) throws(HTTPProtocolError)
        -> ResponseEvent
    {
        if let content = decoder.receiveFastPath(bytes, from: &offset) { return .body(content) }
        defer { settle() }
        return try decoder.receive(bytes, from: &offset)
    }

    /// Returns the available content of the next chunk, for a caller that joins the content of small chunks. `nil` has
    /// no meaning and no effect: call ``receive(_:from:)`` then.
    public mutating func receiveFurtherContent(_ bytes: Span<UInt8>, from offset: inout Int) -> Range<Int>? {
        decoder.receiveFastPath(bytes, from: &offset)
    }

    /// Handles the end of the connection. It ends content that is delimited by the connection's end, and has no effect
    /// between exchanges.
    /// - Throws: ``HTTPProtocolError`` when a response is unfinished or has not begun.
    public mutating func receiveEndOfStream() throws(HTTPProtocolError) -> ResponseEvent {
        defer { settle() }
        return try decoder.receiveEndOfStream()
    }

    /// Whether no exchange is in progress: none was begun, or both its directions have ended.
    public var isIdle: Bool {
        sending.isAtRest && decoder.state.isAtRest
    }

    /// The number of bytes last given that follow the response's end. They answer no request.
    public var leftover: Int { decoder.leftover }

    /// Computes what callers read, among it ``isReusable``; every event updates it.
    @inline(__always)
    private mutating func settle() {
        hasReceivedAnything = decoder.received > 0
        isAwaitingContinue = traits.expectsContinue && !decoder.hasAnswer
        keepAlive = decoder.keepAlive
        contentLeft = decoder.contentLeft
        guard case .complete = decoder.state, case .complete = sending else {
            isReusable = false
            return
        }
        isReusable = decoder.isPersistent && decoder.leftover == 0
    }

    private var isUnused: Bool {
        guard case .idle = sending, case .idle = decoder.state else { return false }
        return true
    }

    private func encodeTrailers(_ trailers: HeaderFields, into output: inout [UInt8]) throws(HTTPProtocolError) {
        let start = output.count
        output.append(contentsOf: "0\r\n".utf8)
        var lines = WrittenFields(at: output.count)
        do throws(HTTPProtocolError) {
            for (index, field) in trailers.enumerated() {
                guard !TrailerRules.forbids(field.name) else {
                    throw HTTPProtocolError(.request(.forbiddenTrailer), in: field.name)
                }
                output.append(contentsOf: "\(field.name): \(field.value)\r\n".utf8)
                try lines.check(output.span, trailers.storage, index)
            }
        } catch {
            output.removeLast(output.count &- start)
            throw error
        }
        output.append(contentsOf: "\r\n".utf8)
    }

    private mutating func failSending(_ reason: HTTPProtocolError.Reason) -> HTTPProtocolError {
        sending = .failed
        settle()
        return HTTPProtocolError(reason)
    }
}

/// The state of sending a request.
enum Sending {
    /// No exchange. Exit: any of the next three, with an exchange.
    case idle
    /// The number of content bytes left to send. Exit: `complete`.
    case exactly(left: Int)
    /// Chunked content, until it is finished. Exit: `complete`.
    case chunked
    /// Exit: the next exchange.
    case complete
    /// The content did not match its announced length, so the peer waits for bytes that will not come. No exit.
    case failed

    /// No content is left to send.
    var isAtRest: Bool {
        switch self {
        case .idle, .complete: true
        case .exactly, .chunked, .failed: false
        }
    }
}
