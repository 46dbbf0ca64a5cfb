// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernIO

/// The request that a connection sends, and what it waits for. Reused for every exchange of a connection, with its
/// memory.
///
/// The content is pulled: the exchange is told of every piece when it leaves, so it never takes a request for sent that
/// is not. The content is the user's, and releasing it may run code: it is never released here, but handed out by
/// ``drop()``, so that no code runs while this changes.
struct OutgoingRequest: ~Copyable {
    /// Bodies up to this size, in bytes, leave in one piece with the head.
    private static let bodyCopiedIntoHead = 16 * 1024
    /// Pulled from a source, or read from a file, at once.
    static let pieceSize = 64 * 1024

    enum Content {
        /// There is none, or all of it was handed over, and the exchange knows.
        case over
        case data(Data, sent: Int)
        case file(FileStretch)
        /// Before a source is made for it.
        case stream(@Sendable () throws -> any BodySource)
        /// Before it is asked for anything.
        case once(OnceSource?)
        case source(any BodySource)
        /// The source has a file here, and is asked again behind it.
        case stretch(FileStretch, of: any BodySource)
        /// The source, or the closure that makes it, is being asked. Exits: source, over.
        case asked
    }

    /// What has to be done next. Sources are the user's: they are asked, made and finished by the driver, while nothing
    /// here is half changed.
    enum Step {
        /// Nothing, until there is what `appetite` says.
        case wait
        /// Have the source made, and `take` it.
        case make(@Sendable () throws -> any BodySource)
        /// Ask it for a piece, and `take` that.
        case ask(any BodySource)
    }

    /// What is sent before all that is still to come: the head, and pieces of the content in their framing.
    var buffer: [UInt8] = []
    var bufferSent = 0
    var content = Content.over
    /// What all of has been handed over, until it is dropped.
    var spent = Content.over
    /// Octets of content announced and not pulled yet; nil if their number was not announced.
    var left: Int?
    var appetite = Appetite.none
    private var mustAskPermission = false
    /// Whether the request is more than a head.
    private(set) var hasContent = false
    /// Octets of content that the exchange knows of, in `buffer` or handed over.
    var contentSent: Int64 = 0
    /// Of these, how many of the last ones are in `buffer`, or were.
    var contentBuffered = 0
    /// A source has been asked, and cannot be asked from its beginning again.
    var isPulled = false
    /// Octets of content in all, if that was announced.
    private(set) var contentLength: Int64?

    /// Octets of content that have been handed over; a chunk's frame around them is not looked at too closely.
    var contentHandedOver: Int64 { contentSent &- Int64(min(contentBuffered, buffer.count - bufferSent)) }

    /// Whether nothing is left to send.
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
        (appetite, contentSent, contentLength, left) = (.writability, 0, nil, nil)
        (contentBuffered, isPulled) = (0, false)
        hasContent = hop.request.content != nil
        do throws(InvalidRequest) {
            try begin(hop.request, settings.fields(for: hop), &exchange)
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
        switch request.content {
        case .none: framing = .none
        case .file(let path): (file, framing) = try Self.open(path)
        case let content?: framing = RequestBodyFraming(length: content.announcedLength)
        }
        try request.begin(&exchange, framing, defaults: defaults, into: &buffer)
        if case .exactly(let length) = framing { (left, contentLength) = (length, Int64(length)) }
        mustAskPermission = exchange.isAwaitingContinue
        try take(request, file, &exchange)
    }

    /// A file with content and without a size is read to its end, in chunks.
    private static func open(_ path: String) throws(InvalidRequest) -> (Content, RequestBodyFraming) {
        let (file, unsized): (FileStretch.File, UnsizedFile?)
        do throws(SystemCallError) {
            file = .init(try FileSource(path: path))
            unsized = file.source.isRegularFile ? try UnsizedFile(file) : nil
        } catch {
            throw .unreadableContent(.unreadable(error))
        }
        guard file.source.isRegularFile else { throw .unreadableContent(.noRegularFile) }
        if let unsized { return (.source(unsized), RequestBodyFraming(length: nil)) }
        let size = Int(clamping: max(0, file.source.size))
        return (.file(FileStretch(file: file, range: 0..<Int64(size), whenShort: nil)), .exactly(size))
    }

    private mutating func take(
        _ request: URLRequest, _ file: Content, _ exchange: inout Exchange
    ) throws(InvalidRequest) {
        do throws(HTTPProtocolError) {
            switch request.content {
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

    /// Whether the server's word on the content is waited for no longer: it came, or time is up.
    mutating func goOnWithoutPermission() {
        mustAskPermission = false
        if case .permission = appetite { appetite = .writability }
    }

    /// The source has said that it makes sense to ask it again.
    mutating func goOnWithSource() {
        if case .source = appetite { appetite = .writability }
    }

    /// Sends until everything is out, the allowance is spent, or something else has to be done or waited for.
    mutating func send(
        over transport: some Outlet, on exchange: inout Exchange, _ allowance: inout TurnAllowance
    ) throws(SendingError) -> Step {
        // A send for another reason, such as new keys that a peer asked for, does not ask a source that has nothing.
        if case .source = appetite { return .wait }
        while true {
            // Where the kernel takes all we have we would never stop: it says in the next turn that it takes more.
            if allowance.isSpent, hasMore { return wait(for: .writability) }
            if bufferSent < buffer.count {
                let count = try sendBuffer(over: transport)
                if count == 0 { return wait(for: .writability) }
                allowance.spend(count)
                continue
            }
            if case .over = content { return wait(for: .none) }
            if mustAskPermission, exchange.isAwaitingContinue { return wait(for: .permission) }
            if let step = try sendContent(over: transport, on: &exchange, &allowance) { return step }
        }
    }

    mutating func wait(for appetite: Appetite) -> Step {
        self.appetite = appetite
        return .wait
    }

    /// Whether there is work that may be left to another turn.
    private var hasMore: Bool {
        if bufferSent < buffer.count { return true }
        return switch content {
        case .over, .asked: false
        case .data(let data, let sent): sent < data.count
        case .file(let file): !file.range.isEmpty
        case .stream, .once, .source, .stretch: true
        }
    }

    /// What is dropped: the caller finishes it when nothing is half changed, and holds it until then.
    struct Dropped {
        var content = Content.over
        var spent = Content.over

        func finish() {
            switch content {
            case .source(let source), .stretch(_, let source): source.finish()
            case .over, .data, .file, .stream, .once, .asked: break
            }
        }
    }

    /// Forgets what has not been sent, and lets go of what has.
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
        appetite = .none
    }
}

// What sources say
extension OutgoingRequest {
    /// Takes the source that was made. False if it is not wanted any more, and has to be finished.
    mutating func take(_ source: any BodySource) -> Bool {
        guard case .asked = content else { return false }
        content = .source(source)
        return true
    }

    /// Takes what `source` has answered. False if nothing more is wanted of it, and it has to be finished.
    mutating func take(
        _ piece: BodyPiece, of source: any BodySource, on exchange: inout Exchange, _ allowance: inout TurnAllowance
    ) throws(SendingError) -> Bool {
        guard case .asked = content else { return false }
        content = .source(source)
        allowance.spend(TurnAllowance.event)
        switch piece {
        case .bytes(let piece): try take(piece, on: &exchange)
        case .later where left == 0:
            // The server has all it was told of, and may answer: whether there would be more is not waited for.
            try finish(on: &exchange)
            return false
        case .later: appetite = .source
        case .end(let trailers):
            if let left, left > 0 { throw .content(.tooShort(missing: left)) }
            try finish(on: &exchange, trailers)
            return false
        case .failed(let error): throw .content(.failed(error))
        }
        return true
    }

    /// Whether a stretch of a file may take the place of a piece: not in a chunk, whose frame lies around it.
    var takesStretches: Bool { left != nil }

    /// Takes what `source` has a file for. False if nothing more is wanted of it, and it has to be finished.
    mutating func take(_ stretch: FileStretch, of source: any BodySource) throws(SendingError) -> Bool {
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
