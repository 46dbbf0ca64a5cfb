// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernIO

/// The writes of a raw stream, and how much of them has been sent. A pure state machine.
///
/// `Waiter` is the completion of a write, called when the kernel has its bytes, or they are sealed and about to be
/// sent.
struct StreamWrites<Waiter>: ~Copyable {
    struct Write {
        let bytes: Data
        /// Counts from the moment when the write is first in the queue.
        let limit: Duration?
        let waiter: Waiter
    }

    struct Answer {
        let waiter: Waiter
        /// Nil if all of it has been sent.
        let failure: SessionError.Reason?
    }

    private enum Stage {
        /// Exits: closing, failed.
        case open
        /// No write may be added; the pending ones are sent, and then the end. Exits: closed, failed.
        case closing
        /// The end has been sent. Exit: failed.
        case closed
        /// Exit: none.
        case failed(SessionError.Reason)
    }

    private var stage = Stage.open
    /// The first write.
    private var current: Write?
    private var queue = WorkQueue<Write>()
    /// The number of bytes of the first write that have been sent.
    private var sentCount = 0
    /// The deadline of the first write.
    private(set) var deadline: MonotonicInstant?
    private var isTimeUp = false

    /// A write is added.
    mutating func add(_ write: Write, at now: MonotonicInstant) -> Answer? {
        switch stage {
        case .open: break
        case .closing, .closed: return Answer(waiter: write.waiter, failure: .request(.streamClosed))
        case .failed(let reason): return Answer(waiter: write.waiter, failure: reason)
        }
        if current == nil {
            begin(write, at: now)
        } else {
            queue.append(write)
        }
        return nil
    }

    private mutating func begin(_ write: Write?, at now: MonotonicInstant) {
        current = write
        (isTimeUp, sentCount) = (false, 0)
        deadline = current?.limit.map { now.advanced(by: $0) }
    }

    /// The bytes to send next, which may be empty; nil if there is no write.
    var first: (bytes: Data, from: Int)? {
        switch stage {
        case .open, .closing: current.map { ($0.bytes, sentCount) }
        case .closed, .failed: nil
        }
    }

    /// This number of bytes of the first write has been sent.
    mutating func sent(_ count: Int) { sentCount += count }

    /// No more is added: the end follows the pending writes.
    mutating func close() {
        if case .open = stage { stage = .closing }
    }

    /// Whether the end is next.
    var mayEnd: Bool { if case .closing = stage { current == nil } else { false } }

    /// The end has been sent.
    mutating func ended() {
        if case .closing = stage { stage = .closed }
    }

    /// No more can be sent.
    mutating func fail(_ reason: SessionError.Reason) {
        switch stage {
        case .open, .closing, .closed: stage = .failed(reason)
        case .failed: break
        }
    }

    /// A write that was sent in part cannot be undone, and no write can follow it.
    mutating func timePassed(_ now: MonotonicInstant) {
        guard let deadline, deadline <= now else { return }
        isTimeUp = true
        if sentCount > 0 { fail(.timedOut(.write)) }
    }

    /// The next available answer.
    mutating func next(at now: MonotonicInstant) -> Answer? {
        guard let first = current else { return nil }
        let isSent = sentCount >= first.bytes.count
        // Bytes that were sent stay sent, whatever happened to the stream then.
        let failure = isSent ? nil : self.failure ?? (isTimeUp ? .timedOut(.write) : nil)
        guard isSent || failure != nil else { return nil }
        begin(queue.popFirst(), at: now)
        return Answer(waiter: first.waiter, failure: failure)
    }

    /// Whether a write is pending.
    var isAsked: Bool { current != nil }

    var isOver: Bool {
        switch stage {
        case .open, .closing: false
        case .closed, .failed: true
        }
    }

    var failure: SessionError.Reason? { if case .failed(let reason) = stage { reason } else { nil } }
}
