// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import Glibc

/// A point on `CLOCK_MONOTONIC`, in nanoseconds: what deadlines and timelines are made of.
public struct MonotonicInstant: InstantProtocol {
    /// Since a moment that is the machine's own, usually its start.
    public let nanoseconds: Int64

    /// A point at this number of nanoseconds of the clock.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Reads the clock.
    public static var now: MonotonicInstant {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)  // cannot fail: the clock and the address are valid
        return MonotonicInstant(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
    }

    /// The instant `duration` later, or earlier if it is negative; stops at the ends of time instead of overflowing.
    public func advanced(by duration: Duration) -> MonotonicInstant {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.clampedNanoseconds)
        return MonotonicInstant(nanoseconds: overflow ? (nanoseconds < 0 ? .min : .max) : sum)
    }

    /// How much later `other` is; negative if it is earlier.
    public func duration(to other: MonotonicInstant) -> Duration {
        .nanoseconds(other.nanoseconds) - .nanoseconds(nanoseconds)
    }

    /// Seconds from `start` to this instant.
    public func seconds(since start: MonotonicInstant) -> Double {
        Double(nanoseconds &- start.nanoseconds) / 1e9
    }

    /// Whether `left` comes before `right`.
    public static func < (left: Self, right: Self) -> Bool { left.nanoseconds < right.nanoseconds }
}

extension Duration {
    /// Whole nanoseconds, held within about 292 years to either side.
    var clampedNanoseconds: Int64 {
        // 10⁹ is 2⁹ · 5⁹: the usual few hours need no division of 128 bits.
        if let units = UInt64(exactly: attoseconds >> 9) { return Int64(units / 1_953_125) }
        return Int64(clamping: attoseconds / 1_000_000_000)
    }
}
