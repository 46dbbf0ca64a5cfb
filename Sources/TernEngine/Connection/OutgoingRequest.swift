// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernIO

/// One request on its way out, and what it waits for. Reused for every exchange of a connection, and its memory too.
///
/// The content is pulled: the exchange is told of every piece when it goes, so it never believes in a request that is still in
/// our hands.
struct OutgoingRequest: ~Copyable {
    /// Bodies up to this size, in bytes, leave in one piece with the head.
    private static let bodyCopiedIntoHead = 16 * 1024
    /// Pulled from a source, or read from a file, at once.
    static let pieceSize = 64 * 1024
    /// Of a file, what the kernel sends at once, so that a disk does not stop the reactor for long.
    private static let fileSentAtOnce = 256 * 1024

    /// What it waits for.
    enum Appetite {
        /// Nothing: all has been handed over, or there is nothing.
        case none
        /// The kernel to take more.
        case writability
        /// Its source to have more.
        case source
        /// The server to say whether it wants the content (RFC 9110 §10.1.1).
        case permission
    }

    private enum Content {
        /// There is none, or all of it was handed over, and the exchange knows.
        case over
        case data(Data, sent: Int)
        case file(offset: Int64, end: Int64)
        case source(any BodySource)
        /// Before it is asked for anything.
        case stream(@Sendable () throws -> any BodySource)
    }

    /// What is sent before all that is still to come: the head, and pieces of the content in their framing.
    private var buffer: [UInt8] = []
    private var bufferSent = 0
    private var content = Content.over
    /// The one that `content` says is sent.
    private var file: FileSource?
    /// Octets of content announced and not pulled yet; nil if their number was not announced.
    private var left: Int?
    private(set) var appetite = Appetite.none
    private var mustAskPermission = false
    /// Whether the request is more than a head.
    private(set) var hasContent = false
    /// Octets of content that have been handed over.
    private(set) var contentSent: Int64 = 0
    /// Octets of content in all, if that was announced.
    private(set) var contentLength: Int64?

    /// Whether nothing is left to send.
    var isSent: Bool {
        if case .over = content { return bufferSent == buffer.count }
        return false
    }

    /// Begins an exchange with the request of `hop`. When it throws, there is nothing to send.
    mutating func begin(
        _ hop: Hop, on exchange: inout Exchange, _ settings: ExchangeSettings
    ) throws(InvalidRequest) {
        drop()
        buffer.removeAll(keepingCapacity: true)
        bufferSent = 0
        (appetite, contentSent, contentLength, left) = (.writability, 0, nil, nil)
        let request = hop.request
        hasContent = request.content != nil
        let framing: RequestBody
        switch request.content {
        case .none: framing = .none
        case .data(let data): framing = .exactly(data.count)
        case .file(let path): framing = .exactly(try open(path))
        case .stream(let length, _), .once(_, let length): framing = length.map { .exactly($0) } ?? .chunked
        }
        try request.begin(&exchange, framing, defaults: settings.fields(for: hop), into: &buffer)
        if case .exactly(let length) = framing { (left, contentLength) = (length, Int64(length)) }
        mustAskPermission = exchange.isAwaitingContinue
        try take(request.content, &exchange)
    }

    private mutating func open(_ path: String) throws(InvalidRequest) -> Int {
        do throws(SystemError) {
            file = try FileSource(path: path)
        } catch {
            throw .unreadableContent(.unreadable(error))
        }
        guard file?.isRegularFile == true, let size = file?.size else {
            file = nil
            throw .unreadableContent(.noRegularFile)
        }
        return Int(clamping: size)
    }

    private mutating func take(_ content: RequestContent?, _ exchange: inout Exchange) throws(InvalidRequest) {
        switch content {
        case .none: break
        case .data(let data) where data.count <= Self.bodyCopiedIntoHead && !mustAskPermission:
            contentSent = Int64(data.count)
            do throws(HTTP1Error) {
                try exchange.sendBody(data.span, into: &buffer)
            } catch {
                drop()
                throw .unencodable(error)
            }
        case .data(let data): return self.content = .data(data, sent: 0)
        case .file: return self.content = .file(offset: 0, end: Int64(left ?? 0))
        case .stream(_, let make): return self.content = .stream(make)
        case .once(let source, _): return self.content = .source(source)
        }
        do throws(HTTP1Error) {
            try exchange.finishSending(into: &buffer)
        } catch {
            drop()
            throw .unencodable(error)
        }
    }

    /// Whether the server's word on the content is waited for no longer: it came, or time is up.
    mutating func goOnWithoutPermission() {
        mustAskPermission = false
        if case .permission = appetite { appetite = .writability }
    }

    /// Sends until everything is out, or something has to be waited for. `wake` is for a source that has nothing.
    mutating func send(
        over transport: inout Transport?, on exchange: inout Exchange, wake: () -> @Sendable () -> Void
    ) throws(SendingError) {
        while true {
            if bufferSent < buffer.count {
                guard try sendBuffer(over: &transport) else { return appetite = .writability }
                continue
            }
            if case .over = content { return appetite = .none }
            if mustAskPermission, exchange.isAwaitingContinue { return appetite = .permission }
            guard try sendContent(over: &transport, on: &exchange, wake) else { return }
        }
    }

    /// Forgets what has not been sent.
    mutating func drop() {
        if case .source(let source) = content { source.finish() }
        bufferSent = buffer.count
        content = .over
        file = nil
        appetite = .none
    }
}

// Piece by piece
extension OutgoingRequest {
    /// False if the kernel takes no more.
    private mutating func sendBuffer(over transport: inout Transport?) throws(SendingError) -> Bool {
        let sent = unsafe buffer.withUnsafeBytes { bytes in
            unsafe Self.send(UnsafeRawBufferPointer(rebasing: bytes[bufferSent...]), over: &transport)
        }
        let count = try sent.get()
        bufferSent += count
        if bufferSent == buffer.count, bufferSent > Self.pieceSize {
            // Whoever sent one large piece does not keep its memory for ever.
            buffer = []
            bufferSent = 0
        }
        return count > 0
    }

    /// Sends or encodes the next piece. False if something has to be waited for, as `appetite` says.
    private mutating func sendContent(
        over transport: inout Transport?, on exchange: inout Exchange, _ wake: () -> @Sendable () -> Void
    ) throws(SendingError) -> Bool {
        switch content {
        case .over: return true
        case .data(let data, let sent):
            guard sent < data.count else { return try finish(on: &exchange) }
            let result = unsafe data.withUnsafeBytes { bytes in
                unsafe Self.send(UnsafeRawBufferPointer(rebasing: bytes[sent...]), over: &transport)
            }
            let count = try result.get()
            try account(count, on: &exchange)
            content = .data(data, sent: sent + count)
            return waitIfBlocked(count)
        case .file(let offset, let end):
            guard offset < end else { return try finish(on: &exchange) }
            let count = try sendFile(over: &transport, offset, Int(clamping: end - offset))
            try account(count, on: &exchange)
            content = .file(offset: offset + Int64(count), end: end)
            return waitIfBlocked(count)
        case .stream(let make):
            do {
                content = .source(try make())
            } catch {
                throw .content(.failed(error))
            }
            return true
        case .source(let source): return try pull(source, on: &exchange, wake)
        }
    }

    private mutating func waitIfBlocked(_ count: Int) -> Bool {
        if count == 0 { appetite = .writability }
        return count > 0
    }

    /// Through the kernel where nothing has to be sealed.
    private mutating func sendFile(
        over transport: inout Transport?, _ offset: Int64, _ left: Int
    ) throws(SendingError) -> Int {
        if file == nil { return 0 }
        if transport?.isSecure == false {
            switch try Self.sendFile(file, offset, min(left, Self.fileSentAtOnce), over: &transport).get() {
            case .bytes(let count): return count
            case .wouldBlock: return 0
            case .endOfStream: throw .content(.tooShort(missing: left))
            }
        }
        return unsafe try withUnsafeTemporaryAllocation(byteCount: min(left, Self.pieceSize), alignment: 16) { room in
            let read: Result<IOResult, SystemError>
            read = Result { () throws(SystemError) in try unsafe file?.read(into: room, at: offset) ?? .wouldBlock }
            switch read {
            case .success(.bytes(let count)):
                return unsafe Self.send(UnsafeRawBufferPointer(rebasing: room[..<count]), over: &transport)
            case .success(.wouldBlock): return .success(0)
            case .success(.endOfStream): return .failure(.content(.tooShort(missing: left)))
            case .failure(let error): return .failure(.content(.unreadable(error)))
            }
        }.get()
    }

    private mutating func pull(
        _ source: any BodySource, on exchange: inout Exchange, _ wake: () -> @Sendable () -> Void
    ) throws(SendingError) -> Bool {
        buffer.removeAll(keepingCapacity: true)
        bufferSent = 0
        switch source.next(atMost: Self.pieceSize, wake: wake()) {
        case .bytes(let piece):
            if let left, piece.count > left { throw .content(.tooLong(excess: piece.count - left)) }
            do throws(HTTP1Error) {
                try exchange.sendBody(piece.span, into: &buffer)
            } catch {
                throw .content(.unencodable(error))
            }
            left = left.map { $0 - piece.count }
            contentSent += Int64(piece.count)
            return true
        case .later:
            appetite = .source
            return false
        case .end(let trailers):
            if let left, left > 0 { throw .content(.tooShort(missing: left)) }
            return try finish(on: &exchange, trailers)
        case .failed(let error): throw .content(.failed(error))
        }
    }

    /// For octets that went by themselves, uncopied.
    private mutating func account(_ count: Int, on exchange: inout Exchange) throws(SendingError) {
        contentSent += Int64(count)
        left = left.map { $0 - count }
        do throws(HTTP1Error) { try exchange.sendBody(count: count) } catch { throw .content(.unencodable(error)) }
    }

    private mutating func finish(on exchange: inout Exchange, _ trailers: HTTPFields = [:]) throws(SendingError) -> Bool
    {
        do throws(HTTP1Error) {
            try exchange.finishSending(trailers: trailers, into: &buffer)
        } catch {
            throw .content(.unencodable(error))
        }
        if case .source(let source) = content { source.finish() }
        content = .over
        file = nil
        return true
    }

    private static func send(
        _ bytes: UnsafeRawBufferPointer, over transport: inout Transport?
    ) -> Result<Int, SendingError> {
        do throws(TransportError) {
            return .success(try unsafe transport?.send(bytes) ?? 0)
        } catch {
            return .failure(.transport(error))
        }
    }

    private static func sendFile(
        _ file: borrowing FileSource?, _ offset: Int64, _ count: Int, over transport: inout Transport?
    ) -> Result<IOResult, SendingError> {
        switch file {
        case .none: return .success(.wouldBlock)
        case .some(let file):
            do throws(SystemError) {
                return .success(try transport?.send(file, at: offset, count: count) ?? .wouldBlock)
            } catch {
                return .failure(.transport(.system(error)))
            }
        }
    }
}

/// Why a request could not be sent.
enum SendingError: Error {
    case transport(TransportError)
    case content(RequestContentError)
}
