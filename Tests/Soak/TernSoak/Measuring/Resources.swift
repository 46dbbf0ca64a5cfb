// SPDX-License-Identifier: Apache-2.0
import Foundation

/// What the process holds.
struct Resources: Codable, Sendable {
    var descriptors = 0
    var threads = 0
    var residentKilobytes = 0

    /// Memory that malloc keeps for later is given back first: what is left is in use.
    static func now() -> Resources {
        trim()
        var resources = Resources()
        resources.descriptors = descriptors
        resources.threads = entries(of: "/proc/self/task")
        resources.residentKilobytes = residentKilobytes()
        return resources
    }

    /// `malloc_trim(3)`, which Swift's Glibc module does not carry.
    private static func trim() {
        guard let symbol = unsafe dlsym(nil, "malloc_trim") else { return }
        // Its declaration in malloc.h.
        _ = unsafe unsafeBitCast(symbol, to: (@convention(c) (Int) -> Int32).self)(0)
    }

    /// Without pipes, of which we make none: a sanitizer that looks up names for its report, if only to suppress it,
    /// keeps two to the process that knows them.
    private static var descriptors: Int { targets.count { !$0.hasPrefix("pipe:") } }

    static var sockets: Int { targets.count { $0.hasPrefix("socket:") } }

    private static var targets: [String] {
        let folder = "/proc/self/fd"
        let all = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        // The folder itself, while it is read, leads nowhere any more.
        return all.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") }
    }

    private static func entries(of folder: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? 0
    }

    private static func residentKilobytes() -> Int {
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") })
        else { return 0 }
        return Int(line.filter(\.isNumber)) ?? 0
    }
}
