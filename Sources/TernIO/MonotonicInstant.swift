// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import TernLibC

/// A point on `CLOCK_MONOTONIC`, in nanoseconds: the time of deadlines and timelines.
public struct MonotonicInstant: InstantProtocol {
    /// Nanoseconds since an unspecified moment, usually the machine's start.
    public let nanoseconds: Int64

    /// Creates an instant from nanoseconds of the clock.
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

    /// The duration from this instant to `other`; negative if `other` is earlier.
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
    /// Whole nanoseconds, clamped to about 292 years in either direction.
    var clampedNanoseconds: Int64 {
        // 10⁹ is 2⁹ · 5⁹: durations of a few hours need no 128-bit division.
        if let units = UInt64(exactly: attoseconds >> 9) { return Int64(units / 1_953_125) }
        return Int64(clamping: attoseconds / 1_000_000_000)
    }
}
