// SPDX-License-Identifier: Apache-2.0
// Safety: the path is lent for the call.

internal import Glibc

/// How long files are.
enum FileSize {
    /// In bytes; 0 if there is none.
    static func of(_ path: String) -> Int {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return 0 }
        defer { close(descriptor) }
        return max(0, Int(lseek(descriptor, 0, SEEK_END)))
    }
}
