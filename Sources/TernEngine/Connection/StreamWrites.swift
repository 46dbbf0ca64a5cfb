// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernIO

/// The writes of a raw stream, and how much of them has left: decides, does nothing.
///
/// `Waiter` is the completion of a write, called when the kernel has its bytes, or they are sealed and about to be
/// sent.
struct StreamWrites<Waiter>: ~Copyable {
    struct Write {
        let octets: Data
        /// From the moment when it is its turn.
        let limit: Duration?
        let waiter: Waiter
    }

    struct Answer {
        let waiter: Waiter
        /// Nil if all of it has left.
        let failure: SessionError.Reason?
    }

    private enum Stage {
        /// Exits: closing, failed.
        case open
        /// No write may be added; the pending ones leave, and then the end. Exits: closed, failed.
        case closing
        /// The peer has been told the end. Exit: failed.
        case closed
        /// Exit: none.
        case failed(SessionError.Reason)
    }

    private var stage = Stage.open
    /// Whose turn it is.
    private var turn: Write?
    private var line = WorkQueue<Write>()
    /// The number of bytes of the first write that have left.
    private var sentCount = 0
    /// Whose turn it is has time until then.
    private(set) var deadline: MonotonicInstant?
    private var isTimeUp = false

    /// A write is added.
    mutating func add(_ write: Write, at now: MonotonicInstant) -> Answer? {
        switch stage {
        case .open: break
        case .closing, .closed: return Answer(waiter: write.waiter, failure: .request(.streamClosed))
        case .failed(let reason): return Answer(waiter: write.waiter, failure: reason)
        }
        if turn == nil {
            begin(write, at: now)
        } else {
            line.append(write)
        }
        return nil
    }

    private mutating func begin(_ write: Write?, at now: MonotonicInstant) {
        turn = write
        (isTimeUp, sentCount) = (false, 0)
        deadline = turn?.limit.map { now.advanced(by: $0) }
    }

    /// What leaves next, which may be empty; nil if there is no write.
    var first: (octets: Data, from: Int)? {
        switch stage {
        case .open, .closing: turn.map { ($0.octets, sentCount) }
        case .closed, .failed: nil
        }
    }

    /// This number of bytes of the first write have left.
    mutating func sent(_ count: Int) { sentCount += count }

    /// Nothing more is added: the end is to follow what is there.
    mutating func close() {
        if case .open = stage { stage = .closing }
    }

    /// Whether the end is next.
    var mayEnd: Bool { if case .closing = stage { turn == nil } else { false } }

    /// The peer has been told the end.
    mutating func ended() {
        if case .closing = stage { stage = .closed }
    }

    /// Nothing more can be sent.
    mutating func fail(_ reason: SessionError.Reason) {
        switch stage {
        case .open, .closing, .closed: stage = .failed(reason)
        case .failed: break
        }
    }

    /// What has left in part cannot be taken back, and nothing can follow it.
    mutating func timePassed(_ now: MonotonicInstant) {
        guard let deadline, deadline <= now else { return }
        isTimeUp = true
        if sentCount > 0 { fail(.timedOut(.write)) }
    }

    /// The next answer there is.
    mutating func next(at now: MonotonicInstant) -> Answer? {
        guard let first = turn else { return nil }
        let isSent = sentCount >= first.octets.count
        // What has left has left, whatever became of the stream then.
        let failure = isSent ? nil : self.failure ?? (isTimeUp ? .timedOut(.write) : nil)
        guard isSent || failure != nil else { return nil }
        begin(line.popFirst(), at: now)
        return Answer(waiter: first.waiter, failure: failure)
    }

    /// Whether a write is pending.
    var isAsked: Bool { turn != nil }

    var isOver: Bool {
        switch stage {
        case .open, .closing: false
        case .closed, .failed: true
        }
    }

    var failure: SessionError.Reason? { if case .failed(let reason) = stage { reason } else { nil } }
}
