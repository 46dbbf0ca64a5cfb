// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Why a body cannot be read to its end.
struct InputError: Error, CustomStringConvertible {
    let path: String
    /// errno(3).
    let number: Int32

    var description: String {
        unsafe "cannot read \(path == "-" ? "standard input" : path): \(String(cString: strerror(number)))"
    }
}
