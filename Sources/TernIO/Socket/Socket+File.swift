// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import Glibc

extension Socket {
    /// Sends as much as the kernel takes of `count` bytes of a file, from `offset` on, without a copy through the
    /// process (sendfile(2)). Waits for the disk where the page cache does not have them, so pieces should be small.
    ///
    /// `.endOfStream` is the file's end: nothing lies at `offset`, because the file is not, or no longer, that long. It
    /// comes every time. No bytes to send are no call.
    public func send(_ file: borrowing FileSource, at offset: Int64, count: Int) throws(SystemCallError) -> IOResult {
        if count <= 0 { return .wouldBlock }
        let (target, source) = (descriptor.rawValue, file.descriptor.rawValue)
        // Unlike send(2) it knows no MSG_NOSIGNAL.
        return try BlockedSignal.pipe.during { () throws(SystemCallError) in
            try SystemCall.transfer(.sendfile) {
                var offset = off_t(offset)
                return unsafe sendfile(target, source, &offset, count)
            }
        }
    }
}
