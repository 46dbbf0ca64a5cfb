// SPDX-License-Identifier: Apache-2.0

internal import Foundation
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

/// The largest resident set of a process so far. From /proc, because `ru_maxrss` of a child begins with the peak of the
/// parent that it was spawned from.
enum PeakMemory {
    /// In bytes; nil if the process has gone.
    static func bytes(of process: String = "self") -> Int? {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
        else { return nil }
        return line.split(whereSeparator: { " \t".contains($0) }).dropFirst().first.flatMap { Int($0) }.map {
            $0 * 1024
        }
    }
}
