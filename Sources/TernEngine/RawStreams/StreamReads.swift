// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernIO

/// The reads of a raw stream, and the received bytes. A pure state machine.
///
/// Bytes are received only while a read waits for them, and no more than it takes. More can be here only because it
/// arrived in one TLS record with those bytes, or before the first read. `Waiter` is the completion of a read.
struct StreamReads<Waiter>: ~Copyable {
    struct Read {
        /// The minimum number of bytes, except at the end; at least one.
        let least: Int
        /// The maximum number of bytes.
        let most: Int
        /// Counts from the moment when the read is first in the queue.
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
        /// Whether the stream ends after these bytes.
        case bytes(Data, isAtEnd: Bool)
        case failed(SessionError.Reason)
    }

    struct Answer {
        let waiter: Waiter
        let outcome: Outcome
    }

    private enum Stage {
        /// Exits: ended, failed, closed.
        case open
        /// No more bytes will come; bytes received may be unread. Exits: failed, closed.
        case ended
        /// Exit: none.
        case failed(SessionError.Reason)
        /// There are no reads any more. Exit: none.
        case closed
    }

    private var stage = Stage.open
    /// No read may be added; the pending ones are served.
    private var isClosing = false
    /// The first read.
    private var first: Read?
    private var queue = WorkQueue<Read>()
    /// The available bytes begin at `start`, so that a small read does not move all the others.
    private var buffer = Data()
    private var start = 0
    private var isEndDelivered = false
    /// The deadline of the first read.
    private(set) var deadline: MonotonicInstant?
    private var isTimeUp = false

    /// A read is added.
    mutating func ask(_ read: Read, at now: MonotonicInstant) -> Answer? {
        if isClosing { return Answer(waiter: read.waiter, outcome: .failed(.request(.streamClosed))) }
        if first == nil {
            begin(read, at: now)
        } else {
            queue.append(read)
        }
        return nil
    }

    private mutating func begin(_ read: Read?, at now: MonotonicInstant) {
        first = read
        isTimeUp = false
        deadline = first?.limit.map { now.advanced(by: $0) }
    }

    /// The number of bytes that may be received now; 0 for none.
    var wanted: Int {
        guard case .open = stage, let first, count < first.least else { return 0 }
        return first.most - count
    }

    /// These bytes were received.
    mutating func received(_ bytes: Span<UInt8>) {
        if case .open = stage { buffer.append(bytes) }
    }

    /// No more bytes will come: the peer has ended the stream.
    mutating func ended() {
        if case .open = stage { stage = .ended }
    }

    /// No more bytes will come, because of an error.
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
        guard isClosing, first == nil else { return }
        (buffer, start) = (Data(), 0)
        switch stage {
        case .open, .ended: stage = .closed
        case .failed, .closed: break
        }
    }

    mutating func timePassed(_ now: MonotonicInstant) {
        if let deadline, deadline <= now { isTimeUp = true }
    }

    /// The next available answer.
    mutating func next(at now: MonotonicInstant) -> Answer? {
        guard let first, let outcome = outcome(for: first) else { return nil }
        begin(queue.popFirst(), at: now)
        closeIfServed()
        return Answer(waiter: first.waiter, outcome: outcome)
    }

    private mutating func outcome(for read: Read) -> Outcome? {
        if count >= read.least { return .bytes(take(read.most), isAtEnd: isAtEnd) }
        switch stage {
        case .open: return isTimeUp ? .failed(.timedOut(.read)) : nil
        case .ended: return .bytes(take(read.most), isAtEnd: isAtEnd)
        case .failed(let reason): return .failed(reason)
        case .closed: return .failed(.request(.streamClosed))
        }
    }

    private mutating func take(_ most: Int) -> Data {
        let end = start + min(most, count)
        let taken = buffer.subdata(in: start..<end)
        start = end
        if count == 0 {
            (buffer, start) = (Data(), 0)
            if case .ended = stage { isEndDelivered = true }
        } else if start > Self.maximumSpentCount, 2 * start > buffer.count {
            (buffer, start) = (buffer.subdata(in: start..<buffer.count), 0)
        }
        return taken
    }

    /// The maximum number of consumed bytes in front of unconsumed ones.
    private static var maximumSpentCount: Int { 64 * 1024 }

    /// The received bytes that no read has taken: they go elsewhere.
    mutating func takeAll() -> Data {
        defer { (buffer, start) = (Data(), 0) }
        return buffer.subdata(in: start..<buffer.count)
    }

    /// Whether the peer has ended the stream, whoever has been told of it.
    var hasEnded: Bool { if case .ended = stage { true } else { false } }

    private var count: Int { buffer.count - start }

    private var isAtEnd: Bool { count == 0 && isEndDelivered }

    /// Whether there are bytes that no read has requested.
    var hasBytes: Bool { count > 0 }

    /// Whether a read is pending.
    var isAsked: Bool { first != nil }

    /// Whether no more can be read and the listener has not been told.
    var isOver: Bool {
        switch stage {
        case .open: false
        case .ended: isEndDelivered
        case .failed, .closed: true
        }
    }

    var failure: SessionError.Reason? { if case .failed(let reason) = stage { reason } else { nil } }
}
