// SPDX-License-Identifier: Apache-2.0
import Glibc

/// What a thread of this process has done with its time, in nanoseconds.
struct ThreadTime: Sendable {
    /// On a processor.
    var working: Int64 = 0
    /// Ready to run, while others ran.
    var waiting: Int64 = 0

    /// This thread's number. Swift's Glibc module has no `gettid`, but a thread's clock holds its number, inverted,
    /// above three bits for the kind of clock.
    static var currentThread: Int32 {
        var clock = clockid_t()
        unsafe pthread_getcpuclockid(pthread_self(), &clock)
        return ~(clock >> 3)
    }

    /// What all threads have worked since the process began, in seconds.
    static var ofProcess: Double {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    init(of thread: Int32) {
        var time = timespec()
        guard unsafe clock_gettime((~thread << 3) | 6, &time) == 0 else { return }
        working = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        waiting = Self.runDelay(of: thread)
    }

    /// The second number of `schedstat`; 0 where the kernel does not count.
    private static func runDelay(of thread: Int32) -> Int64 {
        let file = unsafe open("/proc/self/task/\(thread)/schedstat", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return 0 }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe read(file, &bytes, bytes.count)
        let words = bytes.prefix(max(0, count)).split(separator: UInt8(ascii: " "))
        return words.count > 1 ? Int64(String(decoding: words[1], as: UTF8.self)) ?? 0 : 0
    }
}
