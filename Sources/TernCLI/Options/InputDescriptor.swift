// SPDX-License-Identifier: Apache-2.0
// Safety: each pointer refers to a value that lives as long as the one system call it is lent to, with that value's own
// size.
import Foundation
import Glibc
import TernFiles

/// Reads a file from beginning to end, opened for the first chunk. Belongs to one queue, hence `@unchecked Sendable`.
final class InputDescriptor: @unchecked Sendable {
    private var descriptor: Int32?

    deinit {
        if let descriptor, descriptor != STDIN_FILENO { close(descriptor) }
    }

    /// Nil at the end.
    func piece(of path: String, _ size: Int) throws(InputError) -> Data? {
        let descriptor = try opened(path)
        while true {
            var count = 0
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, initialized in
                count = unsafe read(descriptor, buffer.baseAddress, size)
                initialized = max(0, count)
            }
            if count >= 0 { return bytes.isEmpty ? nil : Data(bytes) }
            if errno != EINTR { throw InputError(path: path, number: errno) }
        }
    }

    private func opened(_ path: String) throws(InputError) -> Int32 {
        if let descriptor { return descriptor }
        let new =
            path == "-"
            ? STDIN_FILENO : unsafe ByteText.withPath(path) { unsafe open($0, O_RDONLY | O_CLOEXEC | O_NOCTTY) }
        if new < 0 { throw InputError(path: path, number: errno) }
        descriptor = new
        return new
    }
}
