// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import Glibc

/// The one door to the kernel: repeats on `EINTR`, turns `errno` into a typed error.
enum SystemCall {
    /// Runs `body` until it is not interrupted and returns what it returned.
    @inline(__always)
    static func run(_ name: SystemError.Call, _ body: () -> Int32) throws(SystemError) -> Int32 {
        while true {
            let result = body()
            if result >= 0 { return result }
            let code = errno
            if code == EINTR { continue }
            assert(code != EBADF && code != EFAULT, "\(name): a descriptor or buffer of ours is not valid")
            throw SystemError(name, code: code)
        }
    }

    /// The same for calls that move bytes: would-block and end-of-stream are results, not errors.
    @inline(__always)
    static func transfer(_ name: SystemError.Call, _ body: () -> Int) throws(SystemError) -> IOResult {
        while true {
            let count = body()
            if count > 0 { return .bytes(count) }
            if count == 0 { return .endOfStream }
            let code = errno
            if code == EAGAIN { return .wouldBlock }
            if code == EINTR { continue }
            assert(code != EBADF && code != EFAULT, "\(name): a descriptor or buffer of ours is not valid")
            throw SystemError(name, code: code)
        }
    }
}
