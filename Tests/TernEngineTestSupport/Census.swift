// SPDX-License-Identifier: Apache-2.0
import Glibc

/// What this process has: for tests that look at a whole process, in which nothing else runs.
struct Census {
    /// Each open descriptor with what it stands for, as in `9 socket:[1234]`.
    let descriptors: Set<String>
    let threads: Int

    static var now: Census { Census(descriptors: ownDescriptors(), threads: ownThreads()) }

    /// What there is now and was not in `earlier`. What went meanwhile is not the library's: it had nothing open then.
    func left(since earlier: Census) -> Census {
        Census(descriptors: descriptors.subtracting(earlier.descriptors), threads: max(0, threads - earlier.threads))
    }

    var isEmpty: Bool { descriptors.isEmpty && threads == 0 }

    /// All but timers and pipes, of which the library opens none: the Swift runtime has the former when it likes,
    /// and a sanitizer speaks to its symbolizer through the latter. The descriptor that reads the list is closed again.
    private static func ownDescriptors() -> Set<String> {
        let all = names(in: "/proc/self/fd").map { "\($0) \(target(of: "/proc/self/fd/\($0)"))" }
        return Set(all.filter { !$0.contains("timerfd") && !$0.contains(" pipe:") && !$0.hasSuffix(" ") })
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
        let target = String(decoding: bytes.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // A file that the parent had open, and another test removes meanwhile, is the same descriptor.
        let mark = " (deleted)"
        return target.hasSuffix(mark) ? String(target.dropLast(mark.count)) : target
    }

    private static func text(_ path: String) -> String {
        guard let file = unsafe fopen(path, "r") else { return "" }
        defer { unsafe fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 64)
        let length = unsafe fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<length], as: UTF8.self)
    }
}
