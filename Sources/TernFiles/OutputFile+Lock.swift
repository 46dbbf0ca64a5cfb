// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import Glibc
package import TernSystem

extension OutputFile {
    private static var pause: (milliseconds: Int, microseconds: UInt32) { (10, 10_000) }

    /// Opens the file at `path`, creates it for its owner if there is none, and locks it. Blocks while another process
    /// or object has it locked, for `limit` at most; nil then.
    ///
    /// Its holder may remove the file before it ends the lock, so that none is left behind: a file that has lost its name
    /// keeps no one out, and the next one of the name is taken.
    package static func locked(_ path: String, within limit: Duration) throws(SystemCallError) -> OutputFile? {
        for attempt in 0... {
            let file = try open(path, O_RDWR | O_CREAT, 0o600)
            if try file.lock() { return file }
            if .milliseconds(attempt * pause.milliseconds) >= limit { break }
            usleep(pause.microseconds)
        }
        return nil
    }
}
