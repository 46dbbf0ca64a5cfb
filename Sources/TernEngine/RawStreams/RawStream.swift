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

    enum Stage {
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
    static let sealedAtOnce = 32 * 1024
    /// The maximum number of system calls in one tick.
    static let callsPerTick = 4

    let loop: ReactorLoop
    weak var listener: (any StreamListener)?
    /// When it is over, whether its listener still exists or not.
    var whenOver: (() -> Void)?
    let assistant: any StreamAssistant
    var stage = Stage.created
    // Unchecked: they run no other code, so accesses never overlap.
    @safe @exclusivity(unchecked) var reads = StreamReads<ReadCompletion>()
    @safe @exclusivity(unchecked) var writes = StreamWrites<WriteCompletion>()
    /// The calls made after securing it.
    var later = WorkQueue<() -> Void>()
    /// The early end.
    var cause: StreamFailure?
    var toldReadClosed = false
    var toldWriteClosed = false
    var isPaused = false { didSet { goOn() } }

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

    func opened(_ result: Result<Handover, StreamFailure>) {
        switch (result, stage) {
        case (.success(let handover), .opening), (.success(let handover), .securing): take(handover)
        case (.success(let handover), _): handover.discard(on: loop)
        case (.failure(let failure), _): end(failure)
        }
    }

    func take(_ handover: Handover) {
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
        goOn()
    }

    /// In a tick of its own.
    private func goOn() { loop.execute { self.advance() } }

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
            if let answer = self.reads.ask(read, at: .now) { self.tell(answer) }
        }
    }

    func write(_ bytes: Data, limit: Duration?, _ completion: @escaping WriteCompletion) {
        inNextTick {
            let write = StreamWrites.Write(bytes: bytes, limit: limit, waiter: completion)
            if let answer = self.writes.add(write, at: .now) { self.tell(answer) }
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

    /// Ends it at once, whatever is pending.
    func end(_ failure: StreamFailure) {
        if cause == nil { cause = failure }
        reads.fail(failure.reason)
        writes.fail(failure.reason)
        finish(failure)
    }
}
