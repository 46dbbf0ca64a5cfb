// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import Glibc

/// What callers that do not know `errno` ask about files.
extension SystemError {
    /// What a path with a NUL in it ends with: to C it would be another one.
    package static let noPath = SystemError(.open, code: EINVAL)
    /// What was there a moment ago cannot be read any more.
    package static let unread = SystemError(.pread, code: EIO)
    /// There is no memory for what is to be written.
    package static let noMemory = SystemError(.pwrite, code: ENOMEM)

    /// Nothing stands there.
    package var isAbsence: Bool { [ENOENT, ENOTDIR].contains(code) }

    /// What is there is no regular file: a link, a folder, a device that does not exist.
    package var isForeignKind: Bool { [ELOOP, EISDIR, ENXIO].contains(code) }

    /// Something stands there.
    package var isPresence: Bool { code == EEXIST }

    /// The two are on different file systems.
    package var isDistance: Bool { code == EXDEV }
}
