// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import TernLibC
package import TernSystem

/// Questions about file errors, for callers that do not import `errno`.
extension SystemCallError {
    /// The error of a path where nothing is.
    package static let missingFile = SystemCallError(.open, code: ENOENT)
    /// The error of a path that contains a NUL, where C would cut it off.
    package static let invalidPath = SystemCallError(.open, code: EINVAL)
    /// The error of a file that may not be used.
    package static let notPermitted = SystemCallError(.open, code: EACCES)
    /// The error of a file that has become shorter while it is read.
    package static let unexpectedEndOfFile = SystemCallError(.pread, code: EIO)
    /// The error of a write whose buffer cannot be allocated.
    package static let noMemory = SystemCallError(.pwrite, code: ENOMEM)

    /// Nothing exists at the path.
    package var isMissingFile: Bool { [ENOENT, ENOTDIR].contains(code) }

    /// The path leads to something other than a regular file: a link, a folder, a device without a driver.
    package var isNotRegularFile: Bool { [ELOOP, EISDIR, ENXIO].contains(code) }

    /// Something exists at the path already.
    package var isExistingFile: Bool { code == EEXIST }

    /// The two paths are on different file systems.
    package var isOtherFileSystem: Bool { code == EXDEV }
}
