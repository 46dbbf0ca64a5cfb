// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import Glibc

extension Socket {
    /// Sends as much as the kernel takes of `count` bytes of a file, from `offset` on, without copying them through the
    /// process (sendfile(2)). Blocks if the page cache does not have the bytes, so send small chunks.
    ///
    /// `.endOfStream` is the file's end: `offset` is at or beyond it. It is returned on every further call. A count of
    /// zero makes no system call.
    public func send(_ file: borrowing FileSource, at offset: Int64, count: Int) throws(SystemCallError) -> IOResult {
        if count <= 0 { return .wouldBlock }
        let (target, source) = (descriptor.rawValue, file.descriptor.rawValue)
        // Unlike send(2), sendfile(2) has no MSG_NOSIGNAL.
        return try BlockedSignal.pipe.during { () throws(SystemCallError) in
            try SystemCall.transfer(.sendfile) {
                var offset = off_t(offset)
                return unsafe sendfile(target, source, &offset, count)
            }
        }
    }
}
