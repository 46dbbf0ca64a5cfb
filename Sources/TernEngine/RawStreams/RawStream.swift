// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernHTTP1
import TernIO
import TernTLS

/// A connection of bytes: opens it, reads, writes, secures it, and closes it half by half.
///
/// `perform` may be called on any thread; everything else belongs to the loop's thread, hence `@unchecked Sendable`.
/// Each call runs in a tick of its own, because the caller may be a delegate that another connection calls while it
/// uses the reactor's buffers. The stream receives only what a read waits for, and bytes to send wait with their write.
final class RawStream: ReadinessHandler, @unchecked Sendable {
    typealias ReadCompletion = (Result<(bytes: Data, isAtEnd: Bool), StreamFailure>) -> Void
    typealias WriteCompletion = (StreamFailure?) -> Void

    private enum Stage {
        /// Exits: opening, open, over.
        case created
        /// Its assistant opens a connection. Exits: open, over.
        case opening
        /// Exits: settling, over.
        case open(Handover)
        /// It is to be secured when the earlier calls are done. Exits: securing, over.
        case settling(Handover, HTTPOrigin)
        /// Its assistant performs the handshake. Exits: open, over.
        case securing
        /// Exit: none.
        case over
    }

    /// The number of bytes received at once over TLS: a record with its overhead.
    private static let sealedAtOnce = 32 * 1024
    /// The maximum number of system calls in one tick.
    private static let callsPerTick = 4

    let loop: ReactorLoop
    weak var listener: (any StreamListener)?
    /// When it is over, whether its listener still exists or not.
    var whenOver: (() -> Void)?
    private let assistant: any StreamAssistant
    private var stage = Stage.created
    // Unchecked: they run no other code, so accesses never overlap.
    @safe @exclusivity(unchecked) private var reads = StreamReads<ReadCompletion>()
    @safe @exclusivity(unchecked) private var writes = StreamWrites<WriteCompletion>()
    /// The calls made after securing it.
    private var later = WorkQueue<() -> Void>()
    /// The early end.
    private var cause: StreamFailure?
    /// What it has ended with.
    private var finalError: SessionError?
    private var hasReportedReadClosed = false
    private var hasReportedWriteClosed = false
    /// Speaks in place of reads and writes.
    private var speaker: (any StreamProtocol)?
    /// Whether it is at work, in which it may call code of the program.
    private var isSpeaking = false
    /// What ends the stream as soon as it is not.
    private var pendingEnd: StreamFailure?
    /// What has arrived and the speaker has not taken.
    private var untaken = Data()
    var isPaused = false { didSet { advanceInNextTick() } }

    init(loop: ReactorLoop, assistant: any StreamAssistant) {
        self.loop = loop
        self.assistant = assistant
    }

    /// Runs `work` on the loop's thread, in a tick of its own. False if the loop has ended.
    func perform(_ work: @escaping @Sendable (RawStream) -> Void) -> Bool {
        loop.execute { work(self) }
    }

    /// Opens the connection.
    func open() {
        guard case .created = stage else { return }
        stage = .opening
        assistant.open { [weak self] in self?.opened($0) }
    }

    /// Takes over an open connection.
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
        do throws(SystemCallError) {
            try loop.transfer(handover.token, to: self, interest: [])
        } catch {
            handover.discard(on: loop)
            return end(StreamFailure(reason: .system(error)))
        }
        stage = .open(handover)
        reads.received(handover.early.span)
        if handover.hasEnded { reads.ended() }
        listener?.streamOpened(handover.metrics)
        advanceInNextTick()
    }

    private func advanceInNextTick() { loop.execute { self.advance() } }

    /// Whether a call must wait for earlier ones.
    private var isSettling: Bool {
        switch stage {
        case .settling, .securing: true
        case .created, .opening, .open, .over: !later.isEmpty
        }
    }

    private func inNextTick(_ work: @escaping () -> Void) {
        if isSettling { later.append(work) } else { work() }
        advance()
    }
}

// Calls
extension RawStream {
    func read(least: Int, most: Int, limit: Duration?, _ completion: @escaping ReadCompletion) {
        inNextTick {
            let read = StreamReads.Read(least: least, most: most, limit: limit, waiter: completion)
            if let answer = self.reads.ask(read, at: self.loop.exactNow) { self.tell(answer) }
        }
    }

    func write(_ bytes: Data, limit: Duration?, _ completion: @escaping WriteCompletion) {
        inNextTick {
            let write = StreamWrites.Write(bytes: bytes, limit: limit, waiter: completion)
            if let answer = self.writes.add(write, at: self.loop.exactNow) { self.tell(answer) }
        }
    }

    func closeRead() { inNextTick { self.reads.close() } }

    func closeWrite() { inNextTick { self.writes.close() } }

    /// Continues over TLS with `server`, once all earlier calls are done. Later calls wait.
    func secure(with server: HTTPOrigin) {
        let secure = {
            if case .open(let handover) = self.stage { self.stage = .settling(handover, server) }
        }
        switch stage {
        // There is no connection yet for the handshake.
        case .created, .opening: later.append(secure)
        case .open, .settling, .securing, .over: inNextTick(secure)
        }
    }

    /// Ends it at once, whatever is pending. While the speaker is at work the buffers and the transport are in use: then the
    /// speaker receives no more, and the stream ends when it is done.
    func end(_ failure: StreamFailure) {
        if isSpeaking {
            if pendingEnd == nil { pendingEnd = failure }
            speaker?.stopReceiving()
            return
        }
        if cause == nil { cause = failure }
        reads.fail(failure.reason)
        writes.fail(failure.reason)
        finish(failure)
    }
}

// A protocol
extension RawStream {
    /// Hands the stream over to `speaker`, beginning with the bytes that no read has taken. No read or write may be pending.
    func hand(over speaker: any StreamProtocol) {
        if case .over = stage { return speaker.ended(finalError) }
        untaken = reads.takeAll()
        self.speaker = speaker
        advance()
    }

    /// Goes on after `work`, which asks something of the speaker. What the peer has sent is received when the loop says so: to
    /// ask for it after each `work` would be a system call in vain.
    func goOn(after work: () -> Void) {
        speaking(work)
        advance(receiving: false)
    }

    /// Whether it ends as soon as the speaker is not at work.
    var isEnding: Bool { pendingEnd != nil }

    private func speaking(_ body: () -> Void) {
        let wasSpeaking = isSpeaking
        isSpeaking = true
        body()
        isSpeaking = wasSpeaking
        if !wasSpeaking, let failure = pendingEnd.take() { end(failure) }
    }

    private func speak(_ speaker: any StreamProtocol, over transport: Transport, receiving: Bool) {
        speaking {
            if !isPaused {
                hear(speaker, over: transport, receiving: receiving)
                if !isEnding { say(speaker, over: transport) }
            }
            speaker.endTick()
        }
        if case .over = stage { return }
        if let ending = speaker.ending {
            // What the last calls have added.
            if ending.isOrderly, !isPaused { say(speaker, over: transport) }
            return finish(ending.reason.map(failure), isOrderly: ending.isOrderly)
        }
        wait()
    }

    private func hear(_ speaker: any StreamProtocol, over transport: Transport, receiving: Bool) {
        if canGoOn(speaker) {
            let bytes = untaken
            untaken = bytes.dropFirst(speaker.receive(bytes.span))
            // An empty slice would keep what was before it, and grow behind that.
            if untaken.isEmpty { untaken = Data() }
        }
        if receiving, untaken.isEmpty, !reads.hasEnded { receive(transport) }
        if untaken.isEmpty, reads.hasEnded, !speaker.hasMore, speaker.wanted > 0 { speaker.receiveEnd() }
    }

    /// Whether there is work without further bytes.
    private func canGoOn(_ speaker: any StreamProtocol) -> Bool {
        speaker.hasMore || !untaken.isEmpty && speaker.wanted > 0
    }

    private func say(_ speaker: any StreamProtocol, over transport: Transport) {
        var failure: TransportError?
        var left = Self.callsPerTick
        while left > 0, failure == nil, speaker.hasUnsent {
            var sent = 0
            speaker.lendUnsent { bytes in
                unsafe bytes.withUnsafeBytes { bytes in
                    do throws(TransportError) { sent = try unsafe transport.send(bytes) } catch { failure = error }
                }
                return sent
            }
            if sent == 0 { break }
            left -= 1
        }
        do throws(TransportError) { try transport.flush() } catch { failure = error }
        if let failure { speaker.sendingFailed(failure.reason) }
    }
}

// The driver
extension RawStream {
    func ready(_ readiness: Readiness) {
        if readiness.contains(.deadline) {
            reads.timePassed(loop.now)
            writes.timePassed(loop.now)
            if let speaker { speaking { speaker.timePassed(loop.now) } }
        }
        advance()
    }

    /// Does all work that is possible now, calls the completions, and waits for the rest.
    private func advance(receiving: Bool = true) {
        while case .open = stage, let next = later.popFirst() { next() }
        guard let handover else { return answer() }
        if let speaker { return speak(speaker, over: handover.transport, receiving: receiving) }
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

    /// The number of bytes that may be received now.
    private var wanted: Int {
        guard let speaker else { return reads.wanted }
        return untaken.isEmpty && !reads.hasEnded ? speaker.wanted : 0
    }

    private func receive(_ transport: Transport) {
        transport.beginTick()
        var left = Self.callsPerTick
        // Lent by the loop for this call.
        let buffers = unsafe ReceiveBuffers(input: loop.receiveBuffer, plaintext: loop.scratchBuffer)
        while wanted > 0, left > 0, unsafe receiveOnce(transport, buffers) { left -= 1 }
        unsafe transport.endTick(buffers)
    }

    private func receiveOnce(_ transport: Transport, _ buffers: ReceiveBuffers) -> Bool {
        let wanted = transport.isSecure ? max(self.wanted, Self.sealedAtOnce) : self.wanted
        do throws(TransportError) {
            switch try unsafe transport.receive(buffers, atMost: wanted, isListening: true) {
            case .bytes(let count):
                let bytes = unsafe buffers.received(count, isOpened: transport.isSecure)
                take(unsafe bytes.assumingMemoryBound(to: UInt8.self).span)
                return true
            case .message, nil: return true
            case .nothing: return false
            case .endOfStream(isOrderly: true): reads.ended()
            // An attacker may have cut off a stream that does not announce its end (RFC 8446 §6.1).
            case .endOfStream(isOrderly: false): fail(.tls(TLSError(.truncated)))
            }
        } catch {
            fail(error.reason)
        }
        return false
    }

    private func take(_ bytes: Span<UInt8>) {
        guard let speaker else { return reads.received(bytes) }
        let count = speaker.receive(bytes)
        if count < bytes.count { untaken.append(bytes.extracting(droppingFirst: count)) }
    }

    /// The connection is broken.
    private func fail(_ reason: SessionError.Reason) {
        if speaker != nil { return end(failure(reason)) }
        reads.fail(reason)
        writes.fail(reason)
    }

    private func send(_ transport: Transport) {
        do throws(TransportError) {
            var left = Self.callsPerTick
            while left > 0, let (data, start) = writes.first, start < data.count {
                let count = try Self.send(data, from: start, over: transport)
                if count == 0 { break }
                writes.sent(count)
                left -= 1
            }
            try transport.flush()
            if writes.mayEnd, try transport.finish() { writes.ended() }
        } catch {
            // Bytes that the peer sent before can still be read.
            writes.fail(error.reason)
        }
    }

    private static func send(_ data: Data, from start: Int, over transport: Transport) throws(TransportError) -> Int {
        try unsafe data.withUnsafeBytes { bytes in
            Result { () throws(TransportError) in
                try unsafe transport.send(UnsafeRawBufferPointer(rebasing: bytes[start...]))
            }
        }.get()
    }

    /// Calls the completions of finished work.
    private func answer() {
        while let answer = reads.next(at: loop.now) { tell(answer) }
        while let answer = writes.next(at: loop.now) { tell(answer) }
        if reads.isOver, !hasReportedReadClosed {
            hasReportedReadClosed = true
            listener?.streamReadClosed()
        }
        if writes.isOver, !hasReportedWriteClosed {
            hasReportedWriteClosed = true
            listener?.streamWriteClosed()
        }
    }

    private func tell(_ answer: StreamReads<ReadCompletion>.Answer) {
        switch answer.outcome {
        case .bytes(let bytes, let isAtEnd): answer.waiter(.success((bytes, isAtEnd)))
        case .failed(let reason): answer.waiter(.failure(failure(reason)))
        }
    }

    private func tell(_ answer: StreamWrites<WriteCompletion>.Answer) {
        answer.waiter(answer.failure.map(failure))
    }

    private func failure(_ reason: SessionError.Reason) -> StreamFailure {
        StreamFailure(reason: reason, phase: cause?.phase ?? .body, remoteAddress: cause?.remoteAddress)
    }

    /// Starts the handshake, if all earlier calls are done.
    private func settle() {
        guard case .settling(let handover, let server) = stage, !reads.isAsked, !writes.isAsked,
            !handover.transport.hasUnsent
        else { return }
        // Bytes received in the clear must not be read as bytes received over TLS.
        if reads.hasBytes { return fail(.transfer(.malformedResponse(.unexpectedBytes))) }
        if reads.isOver || writes.isOver { return fail(.request(.streamClosed)) }
        stage = .securing
        loop.setDeadline(nil, for: handover.token)
        assistant.secure(handover, with: server) { [weak self] in self?.opened($0) }
    }

    private func wait() {
        guard let handover else { return }
        let deadline = speaker.map(\.deadline) ?? [reads.deadline, writes.deadline].compactMap(\.self).min()
        loop.setDeadline(deadline, for: handover.token)
        var interest: Interest = []
        let goesOn = !isPaused && speaker.map(canGoOn) == true
        if !isPaused {
            // Stop receiving from a peer that keeps requesting replies and does not read them.
            if goesOn || wanted > 0, !handover.transport.owesTooMuch { interest.insert(.readable) }
            let hasUnsent = speaker?.hasUnsent ?? (writes.first != nil)
            if hasUnsent || handover.transport.hasUnsent { interest.insert(.writable) }
        }
        do throws(SystemCallError) {
            try loop.setInterest(interest, for: handover.token)
        } catch {
            return end(StreamFailure(reason: .system(error)))
        }
        if goesOn || wanted > 0 && handover.transport.holdsInput && !isPaused { loop.visitLater(handover.token) }
    }

    /// For good.
    private func finish(_ failure: StreamFailure?, isOrderly: Bool? = nil) {
        if case .over = stage { return }
        let handover = handover
        stage = .over
        assistant.cancel()
        if let handover {
            if isOrderly ?? (failure == nil) {
                handover.transport.sayGoodbye()
            } else {
                handover.transport.resetOnClose()
            }
            handover.discard(on: loop)
        }
        while let next = later.popFirst() { next() }
        answer()
        let error = listener?.error(of: failure)
        finalError = error
        if let speaker = speaker.take() { speaking { speaker.ended(error) } }
        listener?.streamEnded(failure)
        listener = nil
        whenOver.take()?()
    }
}

/// Opens and secures connections for a raw stream. On its loop's thread.
protocol StreamAssistant: AnyObject {
    /// Opens a connection, and calls back once, later, unless it is cancelled.
    func open(_ completion: @escaping (Result<Handover, StreamFailure>) -> Void)

    /// Performs a TLS handshake with `server` over the connection, and evaluates it; calls back likewise.
    func secure(
        _ handover: Handover, with server: HTTPOrigin, _ completion: @escaping (Result<Handover, StreamFailure>) -> Void
    )

    /// Cancels pending work, and closes its socket.
    func cancel()
}

/// Receives the events of a raw stream. On its loop's thread.
protocol StreamListener: AnyObject {
    /// No more can be read.
    func streamReadClosed()

    /// No more can be written.
    func streamWriteClosed()

    /// The connection is open, or secured.
    func streamOpened(_ metrics: ConnectionMetrics)

    /// A failure with what the listener knows of the connection.
    func error(of failure: StreamFailure?) -> SessionError?

    /// The stream has ended, with or without an error. Called once, and last.
    func streamEnded(_ failure: StreamFailure?)
}

/// Why a raw stream ended, or was never opened.
struct StreamFailure: Error {
    let reason: SessionError.Reason
    var phase = SessionError.Phase.body
    /// The peer's address, if there was a connection.
    var remoteAddress: TransportAddress?
}
