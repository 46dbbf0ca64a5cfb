// SPDX-License-Identifier: Apache-2.0
import Glibc

/// What this process has: for tests that look at a whole process, in which nothing else runs.
struct Census: Equatable {
    let descriptors, threads: Int

    static var now: Census { Census(descriptors: ownDescriptors(), threads: ownThreads()) }

    /// All but timers and pipes, of which the library opens none: the Swift runtime has the former when it likes,
    /// and a sanitizer speaks to its symbolizer through the latter.
    private static func ownDescriptors() -> Int {
        names(in: "/proc/self/fd").count { name in
            let target = target(of: "/proc/self/fd/\(name)")
            return !target.contains("timerfd") && !target.hasPrefix("pipe:")
        }
    }

    /// Threads the library started, by their name: those of the Swift runtime come and go as they like.
    private static func ownThreads() -> Int {
        names(in: "/proc/self/task").count { text("/proc/self/task/\($0)/comm").hasPrefix("tern-") }
    }

    private static func names(in path: String) -> [String] {
        guard let directory = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe String(cString: UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self))
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    private static func target(of path: String) -> String {
        var bytes = [CChar](repeating: 0, count: 256)
        let length = unsafe readlink(path, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func text(_ path: String) -> String {
        guard let file = unsafe fopen(path, "r") else { return "" }
        defer { unsafe fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let length = unsafe fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<length], as: UTF8.self)
    }
}
