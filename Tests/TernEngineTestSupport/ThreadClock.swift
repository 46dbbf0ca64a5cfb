// SPDX-License-Identifier: Apache-2.0
import Glibc

enum ThreadClock {
    /// Seconds of processor time the calling thread has used.
    static var now: Double {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
