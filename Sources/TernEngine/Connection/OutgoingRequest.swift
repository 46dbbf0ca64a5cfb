// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernIO

/// The request that a connection sends, and what it waits for. Reused, with its memory, for every exchange of a
/// connection.
///
/// The content is pulled: the exchange counts every chunk when it is sent, so it never takes an unsent request for
/// sent. The content belongs to the user, and releasing it may run code: it is never released here, but returned by
/// ``drop()``, so that no code runs while this value changes.
struct OutgoingRequest: ~Copyable {
    /// Bodies up to this size, in bytes, are sent in one packet with the head.
    private static let bodyCopiedIntoHead = 16 * 1024
    /// The number of bytes pulled from a source, or read from a file, at once.
    static let pieceSize = 64 * 1024

    fileprivate enum Content {
        /// There is none, or all of it was passed on, and the exchange knows.
        case over
        case data(Data, sent: Int)
        case file(FileRange)
        /// Before a source is created for it.
        case stream(@Sendable () throws -> any BodySource)
        /// Before the source is called.
        case once(SingleUseSource?)
        case source(any BodySource)
        /// The source has a file here, and is called again after it.
        case stretch(FileRange, of: any BodySource)
        /// The source, or the closure that creates it, is being called. Exits: source, over.
        case asked
    }

    /// What it waits for.
    enum WaitReason {
        /// Nothing: all content has been passed on, or there is none.
        case none
        /// The kernel to take more.
        case writability
        /// Its source to have more.
        case source
        /// The server's answer to the expectation (RFC 9110 §10.1.1).
        case permission
    }

    /// The next action. Sources belong to the user: the driver creates, calls and finishes them, while no state here is
    /// half changed.
    enum Step {
        /// None, until the condition in `waitReason` holds.
        case wait
        /// Create the source, and `take` it.
        case make(@Sendable () throws -> any BodySource)
        /// Ask it for a chunk, and `take` that.
        case ask(any BodySource)
    }

    /// The bytes to send first: the head, and chunks of the content in their framing.
    private var buffer: [UInt8] = []
    private var bufferSent = 0
    private var content = Content.over
    /// Content that has been passed on completely, until it is dropped.
    private var spent = Content.over
    /// The number of announced content bytes not pulled yet; nil if the length was not announced.
    private var left: Int?
    private(set) var waitReason = WaitReason.none
    private var mustAskPermission = false
    /// Whether the request is more than a head.
    private(set) var hasContent = false
    /// The number of content bytes that the exchange has counted, in `buffer` or passed on.
    private var contentSent: Int64 = 0
    /// How many of the last of these are, or were, in `buffer`.
    private var contentBuffered = 0
    /// A source has been called, and cannot be read from its beginning again.
    private(set) var isPulled = false
    /// The announced length of the content, if any.
    private(set) var contentLength: Int64?

    /// The approximate number of content bytes passed on; a chunk's framing may be included.
    var contentHandedOver: Int64 { contentSent &- Int64(min(contentBuffered, buffer.count - bufferSent)) }

    /// Whether all is sent.
    var isSent: Bool {
        if case .over = content { return bufferSent == buffer.count }
        return false
    }

    /// Begins an exchange with the request of `hop`, after one that was dropped. When it throws, there is nothing to
    /// send.
    mutating func begin(
        _ hop: Hop, on exchange: inout Exchange, _ settings: ExchangeSettings
    ) throws(InvalidRequest) {
        forget()
        buffer.removeAll(keepingCapacity: true)
        bufferSent = 0
        (waitReason, contentSent, contentLength, left) = (.writability, 0, nil, nil)
        (contentBuffered, isPulled) = (0, false)
        hasContent = hop.request.body != nil
        do throws(InvalidRequest) {
            try begin(hop.request, settings.fields.fields(for: hop), &exchange)
        } catch {
            forget()
            throw error
        }
    }

    mutating func begin(
        _ request: URLRequest, _ defaults: DefaultFields, _ exchange: inout Exchange
    ) throws(InvalidRequest) {
        let framing: RequestBodyFraming
        var file = Content.over
        switch request.body {
        case .none: framing = .none
        case .file(let path): (file, framing) = try Self.open(path, request.announcedContentLength)
        case _?: framing = RequestBodyFraming(length: request.announcedContentLength)
        }
        try request.begin(&exchange, framing, defaults: defaults, ofProxies: HopFields.ofProxies, into: &buffer)
        if case .exactly(let length) = framing { (left, contentLength) = (length, Int64(length)) }
        mustAskPermission = exchange.isAwaitingContinue
        try take(request, file, &exchange)
    }

    /// A file with content and without a size is read to its end, in chunks unless its length was announced.
    private static func open(
        _ path: String, _ announced: Int?
    ) throws(InvalidRequest) -> (Content, RequestBodyFraming) {
        let (file, unsized): (FileRange.File?, FileReader?)
        do throws(SystemCallError) {
            file = try FileRange.File(path: path)
            unsized = try file.flatMap { file throws(SystemCallError) in try FileReader(unsized: file) }
        } catch {
            throw .unreadableContent(.unreadable(error, path: path))
        }
        guard let file else { throw .unreadableContent(.noRegularFile(path: path)) }
        if let unsized { return (.source(unsized), RequestBodyFraming(length: announced)) }
        let size = Int(clamping: max(0, file.source.size))
        return (.file(FileRange(file: file, range: 0..<Int64(size), whenShort: nil)), .exactly(size))
    }

    private mutating func take(
        _ request: URLRequest, _ file: Content, _ exchange: inout Exchange
    ) throws(InvalidRequest) {
        do throws(HTTPProtocolError) {
            switch request.body {
            case .none: break
            case .data(let data) where data.count <= Self.bodyCopiedIntoHead && !mustAskPermission:
                try exchange.sendBody(data.span, into: &buffer)
                contentSent = Int64(data.count)
                contentBuffered = data.count
            case .data(let data): return content = .data(data, sent: 0)
            case .file: return content = file
            case .stream(_, let make): return content = .stream(make)
            case .once: return content = .once(request.onceSource)
            }
            try exchange.finishSending(into: &buffer)
        } catch {
            throw .unencodable(error)
        }
    }

    /// Whether to stop waiting for the server's answer to the expectation: it came, or the timeout passed.
    mutating func stopAwaitingPermission() {
        mustAskPermission = false
        if case .permission = waitReason { waitReason = .writability }
    }

    /// The source has reported that it has more.
    mutating func sourceHasMore() {
        if case .source = waitReason { waitReason = .writability }
    }

    /// Sends until everything is sent, the allowance is spent, or another action or event must come first.
    mutating func send(
        over transport: some ByteSink, on exchange: inout Exchange, _ allowance: inout TickAllowance
    ) throws(SendingError) -> Step {
        // A send for another reason, such as a key update of the peer, does not call a source that has nothing.
        if case .source = waitReason { return .wait }
        while true {
            // A kernel that takes everything would never stop the loop: the next tick reports it as writable again.
            if allowance.isSpent, hasMore { return wait(for: .writability) }
            if bufferSent < buffer.count {
                let count = try sendBuffer(over: transport, atMost: allowance.stretch)
                if count == 0 { return wait(for: .writability) }
                allowance.spend(count)
                continue
            }
            if case .over = content { return wait(for: .none) }
            if mustAskPermission, exchange.isAwaitingContinue { return wait(for: .permission) }
            if let step = try sendContent(over: transport, on: &exchange, &allowance) { return step }
        }
    }

    private mutating func wait(for waitReason: WaitReason) -> Step {
        self.waitReason = waitReason
        return .wait
    }

    /// Whether there is work that may be left to another tick.
    private var hasMore: Bool {
        if bufferSent < buffer.count { return true }
        return switch content {
        case .over, .asked: false
        case .data(let data, let sent): sent < data.count
        case .file(let file): !file.range.isEmpty
        case .stream, .once, .source, .stretch: true
        }
    }

    /// The dropped objects: the caller finishes and releases them when no state is half changed.
    struct Dropped {
        fileprivate var content = Content.over
        fileprivate var spent = Content.over

        func finish() {
            switch content {
            case .source(let source), .stretch(_, let source): source.finish()
            case .over, .data, .file, .stream, .once, .asked: break
            }
        }
    }

    /// Discards the unsent bytes, and the references to sent content.
    mutating func drop() -> Dropped {
        var dropped = Dropped()
        swap(&dropped.content, &content)
        swap(&dropped.spent, &spent)
        forget()
        return dropped
    }

    private mutating func forget() {
        contentSent = contentHandedOver
        contentBuffered = 0
        bufferSent = buffer.count
        waitReason = .none
    }
}

// Answers of sources
extension OutgoingRequest {
    /// Takes the created source. False if it is no longer wanted, and must be finished.
    mutating func take(_ source: any BodySource) -> Bool {
        guard case .asked = content else { return false }
        content = .source(source)
        return true
    }

    /// Takes the answer of `source`. False if no more is wanted of it, and it must be finished.
    mutating func take(
        _ piece: BodyPiece, of source: any BodySource, on exchange: inout Exchange, _ allowance: inout TickAllowance
    ) throws(SendingError) -> Bool {
        guard case .asked = content else { return false }
        content = .source(source)
        allowance.spend(TickAllowance.event)
        switch piece {
        case .bytes(let piece): try take(piece, on: &exchange)
        case .later where left == 0:
            // The server has all announced bytes, and may respond: this does not wait to learn whether there would be
            // more.
            try finish(on: &exchange)
            return false
        case .later: waitReason = .source
        case .end(let trailers):
            if let left, left > 0 { throw .content(.tooShort(missing: left)) }
            try finish(on: &exchange, trailers)
            return false
        case .failed(let error): throw .content(.failed(error))
        }
        return true
    }

    /// Whether a file range may replace a chunk: not in chunked coding, whose framing surrounds it.
    var takesStretches: Bool { left != nil }

    /// Takes a file range from `source`. False if no more is wanted of it, and it must be finished.
    mutating func take(_ stretch: FileRange, of source: any BodySource) throws(SendingError) -> Bool {
        guard case .asked = content else { return false }
        content = .stretch(stretch, of: source)
        if let left, stretch.range.count > left { throw .content(.tooLong(excess: stretch.range.count - left)) }
        return true
    }

    private mutating func take(_ piece: Data, on exchange: inout Exchange) throws(SendingError) {
        if let left, piece.count > left { throw .content(.tooLong(excess: piece.count - left)) }
        do throws(HTTPProtocolError) {
            try exchange.sendBody(piece.span, into: &buffer)
        } catch {
            throw .content(.unencodable(error))
        }
        left = left.map { $0 - piece.count }
        contentSent += Int64(piece.count)
        contentBuffered = piece.count
    }
}

// Chunk by chunk
extension OutgoingRequest {
    /// 0 if the kernel takes no more.
    private mutating func sendBuffer(over transport: some ByteSink, atMost most: Int) throws(SendingError) -> Int {
        let sent = unsafe buffer.withUnsafeBytes { bytes in
            unsafe Self.send(UnsafeRawBufferPointer(rebasing: bytes[bufferSent...]), atMost: most, over: transport)
        }
        let count = try sent.get()
        bufferSent += count
        if bufferSent == buffer.count, bufferSent > Self.pieceSize {
            // One large chunk must not keep the connection's memory forever.
            buffer = []
            bufferSent = 0
        }
        return count
    }

    /// Sends the next chunk; nil to be called again. Bytes that are sent without a copy are counted.
    private mutating func sendContent(
        over transport: some ByteSink, on exchange: inout Exchange, _ allowance: inout TickAllowance
    ) throws(SendingError) -> Step? {
        let count: Int
        switch content {
        case .over, .asked: return .wait
        case .file(let file) where file.range.isEmpty: return try finish(on: &exchange)
        case .stretch(let file, let source) where file.range.isEmpty:
            content = .source(source)
            return nil
        case .file(let file), .stretch(let file, _):
            if transport.isSecure {
                try read(file, on: &exchange)
                return nil
            }
            count = try file.send(over: transport, atMost: allowance.stretch)
            moveOn(by: count)
        case .data(let data, let sent):
            if sent == data.count { return try finish(on: &exchange) }
            let result = unsafe data.withUnsafeBytes { bytes in
                unsafe Self.send(
                    UnsafeRawBufferPointer(rebasing: bytes[sent...]), atMost: allowance.stretch, over: transport)
            }
            count = try result.get()
            content = .data(data, sent: sent + count)
        case .stream(let make):
            content = .asked
            isPulled = true
            return .make(make)
        case .once(let once):
            guard let source = once?.begin() else { throw .content(.alreadyUsed) }
            return ask(source)
        case .source(let source): return ask(source)
        }
        if count == 0 { return wait(for: .writability) }
        allowance.spend(count)
        try account(count, on: &exchange)
        return nil
    }

    private mutating func ask(_ source: any BodySource) -> Step {
        buffer.removeAll(keepingCapacity: true)
        bufferSent = 0
        contentBuffered = 0
        waitReason = .writability
        content = .asked
        isPulled = true
        return .ask(source)
    }

    /// Takes in the bytes to be sealed.
    private mutating func read(_ file: FileRange, on exchange: inout Exchange) throws(SendingError) {
        buffer = try file.read(atMost: Self.pieceSize)
        bufferSent = 0
        contentBuffered = buffer.count
        moveOn(by: buffer.count)
        try account(buffer.count, on: &exchange)
    }

    private mutating func moveOn(by count: Int) {
        switch content {
        case .file(let file): content = .file(file.dropping(count))
        case .stretch(let file, let source): content = .stretch(file.dropping(count), of: source)
        case .over, .data, .stream, .once, .source, .asked: break
        }
    }

    /// For bytes that were sent directly, uncopied.
    private mutating func account(_ count: Int, on exchange: inout Exchange) throws(SendingError) {
        contentSent += Int64(count)
        left = left.map { $0 - count }
        do throws(HTTPProtocolError) { try exchange.sendBody(count: count) } catch {
            throw .content(.unencodable(error))
        }
    }

    @discardableResult
    private mutating func finish(
        on exchange: inout Exchange, _ trailers: HeaderFields = [:]
    ) throws(SendingError) -> Step? {
        do throws(HTTPProtocolError) {
            try exchange.finishSending(trailers: trailers, into: &buffer)
        } catch {
            throw .content(.unencodable(error))
        }
        switch content {
        // Holds no user objects, and is closed at once.
        case .file: break
        case .over, .data, .stream, .once, .source, .stretch, .asked: swap(&spent, &content)
        }
        content = .over
        return nil
    }

    private static func send(
        _ bytes: UnsafeRawBufferPointer, atMost most: Int, over transport: some ByteSink
    ) -> Result<Int, SendingError> {
        let bytes = unsafe UnsafeRawBufferPointer(start: bytes.baseAddress, count: min(bytes.count, most))
        do throws(TransportError) {
            return .success(try unsafe transport.send(bytes))
        } catch {
            return .failure(.transport(error))
        }
    }
}

extension FileRange {
    /// The number of bytes that the kernel sends at once, so that a disk does not block the reactor for long.
    private static let sentAtOnce = 256 * 1024

    /// Lets the kernel send the beginning, where no bytes need to be sealed; 0 if it takes no more.
    fileprivate func send(over transport: some ByteSink, atMost most: Int) throws(SendingError) -> Int {
        let count = min(range.count, min(Self.sentAtOnce, most))
        let result: IOResult
        do throws(SystemCallError) {
            result = try transport.send(file.source, at: range.lowerBound, count: count)
        } catch {
            throw .transport(.system(error))
        }
        switch result {
        case .bytes(let count): return count
        case .wouldBlock: return 0
        case .endOfStream: throw .content(shortness)
        }
    }

    /// The beginning, at most `count` bytes.
    fileprivate func read(atMost count: Int) throws(SendingError) -> [UInt8] {
        let wanted = Int(clamping: min(Int64(range.count), Int64(count)))
        var result: Result<IOResult, SystemCallError> = .success(.endOfStream)
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: wanted) { room, count in
            result = Result { () throws(SystemCallError) in
                try unsafe file.source.read(into: UnsafeMutableRawBufferPointer(room), at: range.lowerBound)
            }
            if case .success(.bytes(let read)) = result { count = read }
        }
        switch result {
        case .success(.bytes): return bytes
        // A file either has bytes there or has not.
        case .success(.wouldBlock), .success(.endOfStream): throw .content(shortness)
        case .failure(let error): throw .content(.unreadable(error, path: file.path))
        }
    }

    private var shortness: RequestBodyError {
        whenShort.map { .failed($0) } ?? .tooShort(missing: Int(clamping: range.count))
    }
}

/// An exchange that has begun before there is a connection to carry it: so no connection is opened for a request that
/// cannot be sent, and nothing is encoded twice.
///
/// An object, because it is rare and large: every task has room for a reference to one.
final class PreparedExchange {
    var exchange: Exchange
    var outgoing = OutgoingRequest()

    init(_ hop: Hop, _ settings: ExchangeSettings) throws(InvalidRequest) {
        exchange = settings.newExchange
        try outgoing.begin(hop, on: &exchange, settings)
    }
}

/// Why a request could not be sent.
enum SendingError: Error {
    case transport(TransportError)
    case content(RequestBodyError)
}

/// Receives the bytes of a request: a transport, or in tests without sockets a buffer of limited size.
protocol ByteSink: AnyObject {
    /// Whether bytes are sealed before they are sent, so that the kernel cannot send a file itself.
    var isSecure: Bool { get }
    /// Sends the first bytes of `bytes`; 0 means wait for writability.
    func send(_ bytes: UnsafeRawBufferPointer) throws(TransportError) -> Int
    /// Sends bytes of a file; only where no bytes are sealed.
    func send(_ file: borrowing FileSource, at offset: Int64, count: Int) throws(SystemCallError) -> IOResult
}

extension Transport: ByteSink {}
