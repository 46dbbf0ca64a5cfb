// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import TernLibC

/// Makes every system call: repeats it on `EINTR` and turns `errno` into a typed error.
///
/// Inlined into other modules, because each request makes some of these calls.
package enum SystemCall {
    /// Runs `body` until it is not interrupted, and returns its result.
    @inlinable @inline(__always)
    package static func run(_ name: SystemCallError.Call, _ body: () -> Int32) throws(SystemCallError) -> Int32 {
        while true {
            let result = body()
            if result >= 0 { return result }
            let code = errno
            if code == EINTR { continue }
            assert(code != EBADF && code != EFAULT, "\(name): the descriptor or buffer is not valid")
            throw SystemCallError(name, code: code)
        }
    }

    /// Does the same for calls that move bytes: would-block and end-of-stream are results, not errors.
    @inlinable @inline(__always)
    package static func transfer(_ name: SystemCallError.Call, _ body: () -> Int) throws(SystemCallError) -> IOResult {
        while true {
            let count = body()
            if count > 0 { return .bytes(count) }
            if count == 0 { return .endOfStream }
            let code = errno
            if code == EAGAIN { return .wouldBlock }
            if code == EINTR { continue }
            assert(code != EBADF && code != EFAULT, "\(name): the descriptor or buffer is not valid")
            throw SystemCallError(name, code: code)
        }
    }
}

/// The result of a non-blocking transfer.
public enum IOResult: Sendable, Hashable {
    /// This many bytes moved; always more than zero.
    case bytes(Int)
    /// The kernel has no bytes, or no room for them: wait for readiness.
    case wouldBlock
    /// The peer will send no more.
    case endOfStream
}
