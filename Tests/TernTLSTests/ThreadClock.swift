// SPDX-License-Identifier: Apache-2.0
import Glibc

enum ThreadClock {
    /// Processor time the calling thread has used: what else runs on the machine does not count.
    static var now: Duration {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    static func measure(_ work: () throws -> Void) rethrows -> Duration {
        let start = now
        try work()
        return now - start
    }
}
