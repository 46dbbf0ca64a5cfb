// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Why a body cannot be read completely.
struct InputError: ReportedFailure, CustomStringConvertible {
    let path: String
    /// errno(3).
    let number: Int32

    var exitStatus: ExitStatus { .unreadable }

    var description: String {
        unsafe "cannot read \(path == "-" ? "standard input" : path): \(String(cString: strerror(number)))"
    }
}
