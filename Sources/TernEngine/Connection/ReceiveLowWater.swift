// SPDX-License-Identifier: Apache-2.0
import TernIO

/// The receive low-water mark of a connection's socket (`SO_RCVLOWAT`, socket(7)): how much must have arrived before the
/// kernel reports that the socket is readable.
///
/// A large body arrives in many small pieces, and a thread that sleeps and wakes for each spends more on that than on
/// receiving it. So the mark is raised while much content is to come, and comes fast. The connection asks to be visited
/// when arrivals pause, and what such a visit finds shows whether the content still comes fast; if not, the mark is
/// lowered again, and every byte is reported as it arrives.
struct ReceiveLowWater {
    /// The raised mark, in bytes: what a tick receives at once over TLS, and half of it else, because as much arrives
    /// until the thread has woken.
    static func raised(isSecure: Bool) -> Int { isSecure ? TickAllowance.maximum : TickAllowance.bulk / 2 }

    /// The mark is raised only while more than this is to come: the end of a body is reported as it arrives.
    static let largeContent = TickAllowance.bulk
    /// Content comes fast if a tick receives this many bytes after every pause of `ReactorLoop`: 0.2 ms.
    private static let portion = UInt64(TickAllowance.maximum / 4)
    /// The number of bytes that must arrive in each millisecond, counted over at least one, before the mark is raised:
    /// half as fast again, so that it does not go up and down.
    private static let fastPerMillisecond = 8 * portion

    private(set) var isRaised = false

    /// The amount that a tick may receive. What TLS has to open costs its bytes' worth of work.
    func receivedAtOnce(isSecure: Bool) -> Int { isRaised && !isSecure ? TickAllowance.bulk : TickAllowance.maximum }

    /// The loop will tell the connection when arrivals pause.
    var isWatched = false
    /// Whether content came fast when that was last known: also of the body before.
    private var isFast = false
    /// The start of the window, and the count of received bytes then.
    private var began: (at: MonotonicInstant, count: UInt64)?

    /// A tick has received `count` bytes, of `total` since the connection was opened. Returns whether the mark changes.
    ///
    /// - Parameter isLarge: more than `largeContent` is to come, and each tick may receive a whole mark.
    mutating func received(_ count: UInt64, total: UInt64, isLarge: Bool, at now: MonotonicInstant) -> Bool {
        if isRaised {
            isFast = count >= Self.portion || !isLarge
        } else if isLarge, !isFast {
            measure(total, now)
        }
        let raises = isLarge && isFast
        defer { isRaised = raises }
        if !isLarge || raises { began = nil }
        return raises != isRaised
    }

    private mutating func measure(_ total: UInt64, _ now: MonotonicInstant) {
        guard let (start, counted) = began else { return began = (now, total) }
        let milliseconds = UInt64(max(0, (now.nanoseconds &- start.nanoseconds) / 1_000_000))
        guard milliseconds >= 1 else { return }
        began = (now, total)
        isFast = (total &- counted) / milliseconds >= Self.fastPerMillisecond
    }
}
