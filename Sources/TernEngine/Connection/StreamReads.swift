// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernIO

/// The reads of a raw stream, and what has been received: decides, does nothing.
///
/// Bytes are wanted only while a read waits for them, and no more than it takes. More can be here only because it
/// arrived in one TLS record with bytes that were wanted, or before the first read. `Waiter` is the completion of a
/// read.
struct StreamReads<Waiter>: ~Copyable {
    struct Read {
        /// The minimum number of bytes, except at the end; at least one.
        let least: Int
        /// And no more than these.
        let most: Int
        /// From the moment when it is its turn.
        let limit: Duration?
        let waiter: Waiter

        init(least: Int, most: Int, limit: Duration?, waiter: Waiter) {
            self.most = max(0, most)
            self.least = min(max(1, least), self.most)
            self.limit = limit
            self.waiter = waiter
        }
    }

    enum Outcome {
        /// Behind these there is nothing more, if it says so.
        case octets(Data, isAtEnd: Bool)
        case failed(SessionError.Reason)
    }

    struct Answer {
        let waiter: Waiter
        let outcome: Outcome
    }

    private enum Stage {
        /// Exits: ended, failed, closed.
        case open
        /// Nothing more comes; what has come may not be read yet. Exits: failed, closed.
        case ended
        /// Exit: none.
        case failed(SessionError.Reason)
        /// There are no reads any more. Exit: none.
        case closed
    }

    private var stage = Stage.open
    /// No read may be added; the pending ones are served.
    private var isClosing = false
    /// Whose turn it is.
    private var turn: Read?
    private var line = WorkQueue<Read>()
    /// The bytes that are here begin at `start`, so that a small read does not move all the others.
    private var octets = Data()
    private var start = 0
    private var wasEndTold = false
    /// Whose turn it is has time until then.
    private(set) var deadline: MonotonicInstant?
    private var isTimeUp = false

    /// A read is added.
    mutating func ask(_ read: Read, at now: MonotonicInstant) -> Answer? {
        if isClosing { return Answer(waiter: read.waiter, outcome: .failed(.request(.streamClosed))) }
        if turn == nil {
            begin(read, at: now)
        } else {
            line.append(read)
        }
        return nil
    }

    private mutating func begin(_ read: Read?, at now: MonotonicInstant) {
        turn = read
        isTimeUp = false
        deadline = turn?.limit.map { now.advanced(by: $0) }
    }

    /// The number of bytes that may be received now; 0 for none.
    var wanted: Int {
        guard case .open = stage, let first = turn, count < first.least else { return 0 }
        return first.most - count
    }

    /// These were received.
    mutating func received(_ bytes: Span<UInt8>) {
        if case .open = stage { octets.append(bytes) }
    }

    /// Nothing more comes: the peer has said all that it had to say.
    mutating func ended() {
        if case .open = stage { stage = .ended }
    }

    /// Nothing more comes.
    mutating func fail(_ reason: SessionError.Reason) {
        switch stage {
        case .open, .ended: stage = .failed(reason)
        case .failed, .closed: break
        }
    }

    /// No read may be added after this.
    mutating func close() {
        isClosing = true
        closeIfServed()
    }

    private mutating func closeIfServed() {
        guard isClosing, turn == nil else { return }
        (octets, start) = (Data(), 0)
        switch stage {
        case .open, .ended: stage = .closed
        case .failed, .closed: break
        }
    }

    mutating func timePassed(_ now: MonotonicInstant) {
        if let deadline, deadline <= now { isTimeUp = true }
    }

    /// The next answer there is.
    mutating func next(at now: MonotonicInstant) -> Answer? {
        guard let first = turn, let outcome = outcome(for: first) else { return nil }
        begin(line.popFirst(), at: now)
        closeIfServed()
        return Answer(waiter: first.waiter, outcome: outcome)
    }

    private mutating func outcome(for read: Read) -> Outcome? {
        if count >= read.least { return .octets(take(read.most), isAtEnd: isAtEnd) }
        switch stage {
        case .open: return isTimeUp ? .failed(.timedOut(.read)) : nil
        case .ended: return .octets(take(read.most), isAtEnd: isAtEnd)
        case .failed(let reason): return .failed(reason)
        case .closed: return .failed(.request(.streamClosed))
        }
    }

    private mutating func take(_ most: Int) -> Data {
        let end = start + min(most, count)
        let taken = octets.subdata(in: start..<end)
        start = end
        if count == 0 {
            (octets, start) = (Data(), 0)
            if case .ended = stage { wasEndTold = true }
        } else if start > Self.spentAtMost, 2 * start > octets.count {
            (octets, start) = (octets.subdata(in: start..<octets.count), 0)
        }
        return taken
    }

    /// So much that was taken may lie before what has not been.
    private static var spentAtMost: Int { 64 * 1024 }

    private var count: Int { octets.count - start }

    private var isAtEnd: Bool { count == 0 && wasEndTold }

    /// Whether there are bytes that no read has asked for.
    var hasOctets: Bool { count > 0 }

    /// Whether a read is pending.
    var isAsked: Bool { turn != nil }

    /// Whether nothing can be read any more that has not been told.
    var isOver: Bool {
        switch stage {
        case .open: false
        case .ended: wasEndTold
        case .failed, .closed: true
        }
    }

    var failure: SessionError.Reason? { if case .failed(let reason) = stage { reason } else { nil } }
}
