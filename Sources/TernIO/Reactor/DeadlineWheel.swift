// SPDX-License-Identifier: Apache-2.0

/// A coarse timing wheel: 1,024 buckets of 4 ms, each a doubly linked list of slots of the registration table.
///
/// Setting, moving and clearing a deadline is O(1) and allocates nothing once the table has grown. A deadline is never
/// early and at most one tick late.
///
/// A slot may be filed earlier than its deadline, never later, and is filed again when its bucket comes up. So
/// postponing a deadline, which every request on a busy connection does, only writes a number; and deadlines beyond the
/// wheel's horizon of about four seconds gather in a few buckets, so that a thousand idle connections do not wake the
/// loop at a thousand different times.
struct DeadlineWheel: ~Copyable {
    private static let tick: Int64 = 4_000_000
    private static let bucketCount = 1024
    /// Deadlines beyond the horizon are filed at multiples of this many ticks: a quarter of a second.
    private static let farTicks: Int64 = 64

    private struct Node {
        var deadline = Int64.max
        var bucket: Int32 = -1
        var filedTick: Int64 = 0
        var previous: Int32 = -1
        var next: Int32 = -1
    }

    private var nodes: [Node] = []
    private var heads = [Int32](repeating: -1, count: bucketCount)
    private var occupied = [UInt64](repeating: 0, count: bucketCount / 64)
    /// The words of `occupied` that are not zero.
    private var occupiedWords: UInt64 = 0
    private var currentTick: Int64
    private var filedCount = 0

    init(now: MonotonicInstant) {
        currentTick = now.nanoseconds / Self.tick
    }

    /// Sets, moves or (with nil) clears the deadline of `slot`.
    mutating func set(_ deadline: MonotonicInstant?, slot: UInt32) {
        let index = Int(slot)
        while nodes.count <= index { nodes.append(Node()) }
        guard let deadline else {
            nodes[index].deadline = .max
            if nodes[index].bucket >= 0 { unlink(index) }
            return
        }
        nodes[index].deadline = deadline.nanoseconds
        let due = Self.dueTick(deadline.nanoseconds)
        if nodes[index].bucket >= 0 {
            if due >= nodes[index].filedTick { return }
            unlink(index)
        }
        link(index, due: due)
    }

    /// Moves the wheel to `now` and appends the slots whose deadline has passed to `expired`, in no particular order.
    /// Each stays due until it is taken or set again.
    mutating func advance(to now: MonotonicInstant, expired: inout WorkQueue<UInt32>) {
        let target = now.nanoseconds / Self.tick
        guard target > currentTick else { return }
        if filedCount == 0 {
            currentTick = target
            return
        }
        // A jump of more than one revolution visits every bucket once.
        let first = max(currentTick + 1, target - Int64(Self.bucketCount) + 1)
        currentTick = target
        for tick in first...target {
            let bucket = Int(tick % Int64(Self.bucketCount))
            if heads[bucket] >= 0 { empty(bucket, now: now.nanoseconds, expired: &expired) }
        }
    }

    /// Appends the slots whose deadline is `now` or earlier, after `advance` to `now`, exactly: for a clock that stands, so
    /// that the next tick of the wheel may never come. All of them are in the bucket of that tick.
    mutating func expire(by now: MonotonicInstant, expired: inout WorkQueue<UInt32>) {
        var next = heads[Int((currentTick + 1) % Int64(Self.bucketCount))]
        while next >= 0 {
            let index = Int(next)
            next = nodes[index].next
            if nodes[index].deadline > now.nanoseconds { continue }
            unlink(index)
            expired.append(UInt32(truncatingIfNeeded: index))
        }
    }

    /// Whether `slot` has expired and was neither taken nor set since; its deadline is then cleared. Checked for each
    /// slot immediately before its handler runs, because an earlier handler may have changed the deadline.
    mutating func takeExpired(_ slot: UInt32) -> Bool {
        let index = Int(slot)
        guard index < nodes.count, nodes[index].bucket < 0, nodes[index].deadline != .max else { return false }
        nodes[index].deadline = .max
        return true
    }

    /// The time at which the wheel has work; nil when it is empty.
    var nextTick: Int64? { filedCount > 0 ? nextOccupiedTick() : nil }

    /// Whether a deadline passes before the tick that was next.
    func isDue(before tick: Int64?) -> Bool {
        guard let next = nextTick else { return false }
        return tick.map { next < $0 } ?? true
    }

    /// For epoll_wait.
    static func milliseconds(until tick: Int64, now: MonotonicInstant) -> Int32 {
        let wait = tick * Self.tick - now.nanoseconds
        return Int32(clamping: max(0, (wait + 999_999) / 1_000_000))
    }

    private func nextOccupiedTick() -> Int64? {
        let first = Int((currentTick + 1) % Int64(Self.bucketCount))
        var word = first >> 6
        var bits = occupied[word] & (~0 << UInt64(first & 63))
        if bits == 0 {
            // The words after it in their order, and finally the word itself, for the buckets before the first one.
            let following = (occupiedWords &>> (word + 1)) | (occupiedWords &<< (occupied.count - word - 1))
            guard following != 0 else { return nil }
            word = (word + 1 + following.trailingZeroBitCount) % occupied.count
            bits = occupied[word]
        }
        let bucket = word << 6 + bits.trailingZeroBitCount
        return currentTick + 1 + Int64((bucket - first + Self.bucketCount) % Self.bucketCount)
    }

    private mutating func empty(_ bucket: Int, now: Int64, expired: inout WorkQueue<UInt32>) {
        var next = heads[bucket]
        while next >= 0 {
            let index = Int(next)
            next = nodes[index].next
            // After a long jump, a slot that was just filed may be visited and filed again.
            unlink(index)
            let due = Self.dueTick(nodes[index].deadline)
            if due > currentTick {
                link(index, due: due)
            } else {
                expired.append(UInt32(truncatingIfNeeded: index))
            }
        }
    }

    /// The first tick at which `deadline` has certainly passed.
    private static func dueTick(_ deadline: Int64) -> Int64 {
        deadline / tick + 1
    }

    private mutating func link(_ index: Int, due: Int64) {
        let horizon = currentTick + Int64(Self.bucketCount) - 1
        let tick = due > horizon ? horizon / Self.farTicks * Self.farTicks : max(due, currentTick + 1)
        let bucket = Int(tick % Int64(Self.bucketCount))
        let head = heads[bucket]
        nodes[index].bucket = Int32(bucket)
        nodes[index].filedTick = tick
        nodes[index].previous = -1
        nodes[index].next = head
        if head >= 0 { nodes[Int(head)].previous = Int32(index) }
        heads[bucket] = Int32(index)
        occupied[bucket >> 6] |= 1 << UInt64(bucket & 63)
        occupiedWords |= 1 << UInt64(bucket >> 6)
        filedCount += 1
    }

    private mutating func unlink(_ index: Int) {
        let node = nodes[index]
        let bucket = Int(node.bucket)
        if node.previous >= 0 { nodes[Int(node.previous)].next = node.next } else { heads[bucket] = node.next }
        if node.next >= 0 { nodes[Int(node.next)].previous = node.previous }
        if heads[bucket] < 0 { clear(bucket) }
        nodes[index].bucket = -1
        nodes[index].previous = -1
        nodes[index].next = -1
        filedCount -= 1
    }

    private mutating func clear(_ bucket: Int) {
        occupied[bucket >> 6] &= ~(1 << UInt64(bucket & 63))
        if occupied[bucket >> 6] == 0 { occupiedWords &= ~(1 << UInt64(bucket >> 6)) }
    }
}
