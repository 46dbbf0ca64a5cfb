// SPDX-License-Identifier: Apache-2.0
import TernIO

/// The work that one connection may cause in a tick: the received bytes, and a price in bytes for work that costs more
/// than its bytes. It counts work rather than time, so that the behaviour does not depend on the load of the machine.
struct TickAllowance {
    /// The amount received at once: about half a millisecond of work, whatever it contains.
    static let maximum = ReactorLoop.bufferSize
    /// The same for content that comes fast and is received in its place or delivered in it: each call of the kernel, and
    /// each acknowledgement that it sends, costs as much as some kilobytes.
    static let bulk = ReactorLoop.receiveBufferSize
    /// One event of the HTTP decoder, delivered to a delegate.
    static let event = 256
    /// One more chunk whose content is joined; it may hold one byte.
    static let chunk = 32
    /// One TLS record, which may hold one byte: a microsecond or two.
    static let record = 1024
    /// One TLS message without application data: keys are derived, or a session is copied.
    static let message = 16 * 1024

    /// The total for all connections that are ready in one tick, apart from `least`: a few milliseconds.
    private static let shared = 16 * maximum
    /// The minimum for each of them: a full TLS record with its overhead.
    static let least = 32 * 1024

    private(set) var left: Int
    /// The maximum number of bytes sent at once.
    private(set) var stretch = Int.max
    private var settledCount: UInt64

    /// The allowance of one of `readyCount` connections that are ready at once, of which each may have `most`; it has
    /// received this number of bytes so far.
    init(among readyCount: Int, receivedCount: UInt64 = 0, atMost most: Int = maximum) {
        left = max(Self.least, min(most, Self.shared / max(1, readyCount)))
        settledCount = receivedCount
    }

    /// No more than `count` bytes at once.
    mutating func limit(to count: Int) {
        stretch = count
        left = min(left, stretch)
    }

    var isSpent: Bool { left <= 0 }

    mutating func spend(_ price: Int) { left -= price }

    /// Pays for bytes that have been received and processed.
    mutating func settle(_ receivedCount: UInt64) {
        left -= Int(clamping: receivedCount &- settledCount)
        settledCount = receivedCount
    }
}
