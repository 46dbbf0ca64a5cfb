// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Why a body cannot be written to its destination.
struct OutputError: ReportedFailure, CustomStringConvertible {
    enum Reason {
        /// errno(3).
        case system(Int32)
        case isSocket
        case isEmptyPath
        case tooManyLinks
        /// The reader did not come in time.
        case tooSlow
    }

    let path: String
    let reason: Reason

    var exitStatus: ExitStatus { .unwritable }

    init(_ path: String, _ reason: Reason) {
        self.path = path
        self.reason = reason
    }

    /// What errno(3) says now.
    static func last(_ path: String) -> OutputError { OutputError(path, .system(errno)) }

    var description: String {
        switch reason {
        case .system(let number): unsafe "cannot write \(path): \(String(cString: strerror(number)))"
        case .isSocket: "cannot write \(path): it is a socket"
        case .isEmptyPath: "cannot write: the path is empty"
        case .tooManyLinks: "cannot write \(path): too many symbolic links"
        case .tooSlow: "cannot write \(path): its reader did not open it in time"
        }
    }
}
