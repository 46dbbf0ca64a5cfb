// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernIO
import TernTLS

/// A connection of bytes: opens it, reads and writes as it is asked to, secures it, closes it half by half.
///
/// `perform` is for any thread; everything else belongs to the loop's, which is what `@unchecked Sendable` rests on.
/// What is asked is done in a turn of its own, because whoever asks may be in the midst of what another connection does
/// with the reactor's buffers. Nothing is received that nobody waits for, and what is to be sent waits with whoever
/// brings it.
final class RawStream: ReadinessHandler, @unchecked Sendable {
    typealias ReadCompletion = (Result<(octets: Data, isAtEnd: Bool), StreamFailure>) -> Void
    typealias WriteCompletion = (StreamFailure?) -> Void

    private enum Stage {
        /// Exits: opening, open, over.
        case created
        /// Its assistant opens a connection. Exits: open, over.
        case opening
        /// Exits: settling, over.
        case open(Handover)
        /// It is to be secured when what was asked before is done. Exits: securing, over.
        case settling(Handover, Origin)
        /// Its assistant shakes hands. Exits: open, over.
        case securing
        /// Exit: none.
        case over
    }

    /// Octets received at once over TLS: as many as a record has, and what belongs to it.
    private static let sealedAtOnce = 32 * 1024
    /// System calls in one turn, before others have theirs.
    private static let callsPerTurn = 4

    let loop: ReactorLoop
    weak var listener: (any StreamListener)?
    /// When it is over, whatever became of its listener.
    var whenOver: (() -> Void)?
    private let assistant: any StreamAssistant
    private var stage = Stage.created
    // Unchecked: they call nobody, so no access can begin while another lasts.
    @safe @exclusivity(unchecked) private var reads = StreamReads<ReadCompletion>()
    @safe @exclusivity(unchecked) private var writes = StreamWrites<WriteCompletion>()
    /// What was asked behind being secured.
    private var later = WorkQueue<() -> Void>()
    /// What ended it before its time.
    private var cause: StreamFailure?
    private var toldReadClosed = false
    private var toldWriteClosed = false
    var isPaused = false { didSet { goOn() } }

    init(loop: ReactorLoop, assistant: any StreamAssistant) {
        self.loop = loop
        self.assistant = assistant
    }

    /// Has `work` done on the loop's thread, in a turn of its own. False if the loop has ended.
    func perform(_ work: @escaping @Sendable (RawStream) -> Void) -> Bool {
        loop.execute { work(self) }
    }

    /// Opens the connection.
    func open() {
        guard case .created = stage else { return }
        stage = .opening
        assistant.open { [weak self] in self?.opened($0) }
    }

    /// Takes over a connection that stands.
    func attach(_ handover: Handover) {
        guard case .created = stage else { return handover.discard(on: loop) }
        stage = .opening
        opened(.success(handover))
    }

    private func opened(_ result: Result<Handover, StreamFailure>) {
        switch (result, stage) {
        case (.success(let handover), .opening), (.success(let handover), .securing): take(handover)
        case (.success(let handover), _): handover.discard(on: loop)
        case (.failure(let failure), _): end(failure)
        }
    }

    private func take(_ handover: Handover) {
        do throws(SystemError) {
            try loop.transfer(handover.token, to: self, interest: [])
        } catch {
            handover.discard(on: loop)
            return end(StreamFailure(reason: .system(error)))
        }
        stage = .open(handover)
        reads.received(handover.early.span)
        if handover.hasEnded { reads.ended() }
        listener?.streamOpened(handover.metrics)
        goOn()
    }

    /// In a turn of its own.
    private func goOn() { loop.execute { self.advance() } }

    /// Whether what is asked has to wait for what was asked before.
    private var isSettling: Bool {
        switch stage {
        case .settling, .securing: true
        case .created, .opening, .open, .over: !later.isEmpty
        }
    }

    private func inTurn(_ work: @escaping () -> Void) {
        if isSettling { later.append(work) } else { work() }
        advance()
    }
}

// What is asked of it
extension RawStream {
    func read(least: Int, most: Int, limit: Duration?, _ completion: @escaping ReadCompletion) {
        inTurn {
            let read = StreamReads.Read(least: least, most: most, limit: limit, waiter: completion)
            if let answer = self.reads.ask(read, at: .now) { self.tell(answer) }
        }
    }

    func write(_ octets: Data, limit: Duration?, _ completion: @escaping WriteCompletion) {
        inTurn {
            let write = StreamWrites.Write(octets: octets, limit: limit, waiter: completion)
            if let answer = self.writes.add(write, at: .now) { self.tell(answer) }
        }
    }

    func closeRead() { inTurn { self.reads.close() } }

    func closeWrite() { inTurn { self.writes.close() } }

    /// Goes on over TLS with `server`, once everything asked before is done. What is asked meanwhile waits.
    func secure(with server: Origin) {
        let secure = {
            if case .open(let handover) = self.stage { self.stage = .settling(handover, server) }
        }
        switch stage {
        // There is nothing yet to shake hands over.
        case .created, .opening: later.append(secure)
        case .open, .settling, .securing, .over: inTurn(secure)
        }
    }

    /// Ends it at once, whatever is under way.
    func end(_ failure: StreamFailure) {
        if cause == nil { cause = failure }
        reads.fail(failure.reason)
        writes.fail(failure.reason)
        finish(failure)
    }
}

// The driver
extension RawStream {
    func ready(_ readiness: Readiness) {
        if readiness.contains(.deadline) {
            reads.timePassed(loop.now)
            writes.timePassed(loop.now)
        }
        advance()
    }

    /// Does what can be done now, tells whoever waits for it, and waits for the rest.
    private func advance() {
        while case .open = stage, let next = later.popFirst() { next() }
        guard let handover else { return answer() }
        if !isPaused {
            receive(handover.transport)
            send(handover.transport)
        }
        answer()
        settle()
        if reads.isOver, writes.isOver { return finish((reads.failure ?? writes.failure).map(failure)) }
        wait()
    }

    private var handover: Handover? {
        switch stage {
        case .open(let handover), .settling(let handover, _): handover
        case .created, .opening, .securing, .over: nil
        }
    }

    private func receive(_ transport: Transport) {
        transport.beginTurn()
        var left = Self.callsPerTurn
        // Lent by the loop until we return to it.
        let buffers = unsafe ReceiveBuffers(input: loop.receiveBuffer, plaintext: loop.scratchBuffer)
        while reads.wanted > 0, left > 0, unsafe receiveOnce(transport, buffers) { left -= 1 }
        unsafe transport.endTurn(buffers)
    }

    private func receiveOnce(_ transport: Transport, _ buffers: ReceiveBuffers) -> Bool {
        let wanted = transport.isSecure ? max(reads.wanted, Self.sealedAtOnce) : reads.wanted
        do throws(TransportError) {
            switch try unsafe transport.receive(buffers, atMost: wanted, isListening: true) {
            case .bytes(let count):
                let bytes = unsafe buffers.received(count, isOpened: transport.isSecure)
                reads.received(unsafe bytes.assumingMemoryBound(to: UInt8.self).span)
                return true
            case .message, nil: return true
            case .nothing: return false
            case .endOfStream(isOrderly: true): reads.ended()
            // Anybody may have cut off a stream that does not say where it ends (RFC 8446 §6.1).
            case .endOfStream(isOrderly: false): fail(.connecting(.insecure(TLSError(.truncated))))
            }
        } catch {
            fail(error.reason)
        }
        return false
    }

    /// The connection is broken.
    private func fail(_ reason: EngineError.Reason) {
        reads.fail(reason)
        writes.fail(reason)
    }

    private func send(_ transport: Transport) {
        do throws(TransportError) {
            var left = Self.callsPerTurn
            while left > 0, let (octets, start) = writes.first, start < octets.count {
                let count = try Self.send(octets, from: start, over: transport)
                if count == 0 { break }
                writes.sent(count)
                left -= 1
            }
            try transport.flush()
            if writes.mayEnd, try transport.finish() { writes.ended() }
        } catch {
            // What the peer had said before may still be read.
            writes.fail(error.reason)
        }
    }

    private static func send(_ octets: Data, from start: Int, over transport: Transport) throws(TransportError) -> Int {
        try unsafe octets.withUnsafeBytes { bytes in
            Result { () throws(TransportError) in
                try unsafe transport.send(UnsafeRawBufferPointer(rebasing: bytes[start...]))
            }
        }.get()
    }

    /// Tells whoever has waited.
    private func answer() {
        while let answer = reads.next(at: loop.now) { tell(answer) }
        while let answer = writes.next(at: loop.now) { tell(answer) }
        if reads.isOver, !toldReadClosed {
            toldReadClosed = true
            listener?.streamReadClosed()
        }
        if writes.isOver, !toldWriteClosed {
            toldWriteClosed = true
            listener?.streamWriteClosed()
        }
    }

    private func tell(_ answer: StreamReads<ReadCompletion>.Answer) {
        switch answer.outcome {
        case .octets(let octets, let isAtEnd): answer.waiter(.success((octets, isAtEnd)))
        case .failed(let reason): answer.waiter(.failure(failure(reason)))
        }
    }

    private func tell(_ answer: StreamWrites<WriteCompletion>.Answer) {
        answer.waiter(answer.failure.map(failure))
    }

    private func failure(_ reason: EngineError.Reason) -> StreamFailure {
        StreamFailure(reason: reason, phase: cause?.phase ?? .body, remoteAddress: cause?.remoteAddress)
    }

    /// Shakes hands, if all that was asked before is done.
    private func settle() {
        guard case .settling(let handover, let server) = stage, !reads.isAsked, !writes.isAsked,
            !handover.transport.hasUnsent
        else { return }
        // What came in the clear must not pass for what came over TLS.
        if reads.hasOctets { return fail(.transfer(.malformedResponse(.unaskedBytes))) }
        if reads.isOver || writes.isOver { return fail(.request(.streamClosed)) }
        stage = .securing
        loop.setDeadline(nil, for: handover.token)
        assistant.secure(handover, with: server) { [weak self] in self?.opened($0) }
    }

    private func wait() {
        guard let handover else { return }
        loop.setDeadline([reads.deadline, writes.deadline].compactMap(\.self).min(), for: handover.token)
        var interest: Interest = []
        if !isPaused {
            // A peer that asks and asks and takes no answer is not listened to.
            if reads.wanted > 0, !handover.transport.owesTooMuch { interest.insert(.readable) }
            if writes.first != nil || handover.transport.hasUnsent { interest.insert(.writable) }
        }
        do throws(SystemError) {
            try loop.setInterest(interest, for: handover.token)
        } catch {
            return end(StreamFailure(reason: .system(error)))
        }
        if reads.wanted > 0, handover.transport.holdsInput, !isPaused { loop.visitLater(handover.token) }
    }

    /// For good.
    private func finish(_ failure: StreamFailure?) {
        if case .over = stage { return }
        let handover = handover
        stage = .over
        assistant.cancel()
        if let handover {
            if failure != nil { handover.transport.resetOnClose() } else { handover.transport.sayGoodbye() }
            handover.discard(on: loop)
        }
        while let next = later.popFirst() { next() }
        answer()
        listener?.streamEnded(failure)
        listener = nil
        whenOver.take()?()
    }
}
