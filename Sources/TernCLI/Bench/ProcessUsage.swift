// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The resources that this process has used so far, as counted by the kernel.
struct ProcessUsage {
    /// User and system time, in microseconds.
    let cpuMicroseconds: Int64
    /// The largest resident set, in bytes.
    let peakMemory: Int64

    static var now: ProcessUsage {
        var usage = rusage()
        _ = unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)  // cannot fail: both arguments are valid
        return ProcessUsage(
            cpuMicroseconds: microseconds(usage.ru_utime) + microseconds(usage.ru_stime),
            peakMemory: Int64(usage.ru_maxrss) * 1024)
    }

    private static func microseconds(_ time: timeval) -> Int64 {
        Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_usec)
    }
}
