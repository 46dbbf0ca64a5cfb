// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The CPU time of a process so far.
struct ResourceUsage {
    var userMicroseconds: Double
    var systemMicroseconds: Double
    /// This process, all its threads.
    static var own: ResourceUsage {
        var usage = rusage()
        unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return ResourceUsage(usage)
    }

    /// What has been added since.
    func microseconds(to later: ResourceUsage) -> Double {
        later.userMicroseconds - userMicroseconds + later.systemMicroseconds - systemMicroseconds
    }

    init(_ usage: rusage) {
        userMicroseconds = Double(usage.ru_utime.tv_sec) * 1e6 + Double(usage.ru_utime.tv_usec)
        systemMicroseconds = Double(usage.ru_stime.tv_sec) * 1e6 + Double(usage.ru_stime.tv_usec)
    }
}
