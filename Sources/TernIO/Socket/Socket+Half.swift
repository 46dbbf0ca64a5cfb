// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import Glibc

extension Socket {
    /// Sends FIN after the bytes sent so far, and leaves the receiving half open.
    public func finish() throws(SystemCallError) {
        _ = try SystemCall.run(.shutdown) { shutdown(descriptor.rawValue, Int32(SHUT_WR)) }
    }
}
