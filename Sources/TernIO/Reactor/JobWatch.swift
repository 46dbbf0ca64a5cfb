// SPDX-License-Identifier: Apache-2.0
#if DEBUG
    import CTernLinux
    import TernLibC
    import Synchronization
    import TernSystem

    /// Finds jobs that hold a reactor up, and says so on standard error.
    ///
    /// What counts is the processor time of a job that has only computed, because the machine may have run something
    /// else meanwhile, and the time that passed for one that has waited.
    struct JobWatch {
        private static let limit = Duration.milliseconds(10)
        /// Whether standard error belongs to the program alone.
        static let isSilent = Atomic<Bool>(false)

        /// The job is about to run.
        private let start = Reading()

        /// The job has run.
        func end() {
            let held = Reading().time(since: start)
            if held < Self.limit { return }
            let milliseconds = held / .milliseconds(1)
            let warning = """
                tern: a job ran for \(Int(milliseconds)) ms on a reactor; its requests waited. Work that computes or \
                blocks for long belongs in TernRuntime.blocking(_:).
                """
            StandardError.write(warning)
        }

        private struct Reading {
            let instant = MonotonicInstant.now
            let computed: Duration
            let waits: Int

            init() {
                var usage = rusage()
                // RUSAGE_THREAD, which Glibc's module hides.
                _ = unsafe getrusage(1, &usage)
                computed = Self.duration(usage.ru_utime) + Self.duration(usage.ru_stime)
                waits = usage.ru_nvcsw
            }

            func time(since start: Reading) -> Duration {
                waits == start.waits ? computed - start.computed : start.instant.duration(to: instant)
            }

            private static func duration(_ time: timeval) -> Duration {
                .seconds(time.tv_sec) + .microseconds(time.tv_usec)
            }
        }
    }
#endif
