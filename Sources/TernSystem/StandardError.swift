// SPDX-License-Identifier: Apache-2.0
import TernLibC

/// The standard error of the process, where debug builds tell a programmer what is wrong.
package enum StandardError {
    /// Writes the text and a line's end. Best effort: standard error may be closed.
    package static func write(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = unsafe TernLibC.write(STDERR_FILENO, bytes, bytes.count)
    }
}
