// SPDX-License-Identifier: Apache-2.0

internal import Foundation

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
