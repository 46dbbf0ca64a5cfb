// SPDX-License-Identifier: Apache-2.0
// Safety: C functions receive terminated strings, and buffers with their size.
import FoundationEssentials
import Glibc

/// A file of a test's own, gone with the object.
final class TestFile: Sendable {
    let path: String

    init(_ content: Data) throws {
        path = "/tmp/tern-content-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        try content.write(to: URL(filePath: path))
    }

    deinit { unsafe unlink(path) }

    func resize(to size: Int) { unsafe truncate(path, size) }

    /// How many descriptors of this process lead to the file.
    var openCount: Int {
        guard let directory = unsafe opendir("/proc/self/fd") else { return -1 }
        defer { unsafe closedir(directory) }
        var count = 0
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe String(cString: UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self))
            }
            var target = [CChar](repeating: 0, count: 4096)
            let length = unsafe readlink("/proc/self/fd/\(name)", &target, target.count)
            let bytes = target.prefix(max(0, length)).map { UInt8(bitPattern: $0) }
            // A file that was removed stands there with words behind its path.
            if String(decoding: bytes, as: UTF8.self).hasPrefix(path) { count += 1 }
        }
        return count
    }
}
