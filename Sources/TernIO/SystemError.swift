// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A system call that failed: which call, and the `errno` it left.
public struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The call as the manual names it, such as `connect`.
    public let call: StaticName
    /// The value of `errno`, such as `ECONNREFUSED`.
    public let code: Int32

    package init(_ call: StaticName, code: Int32) {
        self.call = call
        self.code = code
    }

    /// The kernel's own words, such as "Connection refused".
    public var message: String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let text = buffer.baseAddress, unsafe strerror_r(code, text, buffer.count) == 0 else {
                return "unknown error"
            }
            return unsafe String(cString: text)
        }
    }

    public var description: String { "\(call): \(message) (errno \(code))" }
}

extension SystemError {
    /// The system calls this package makes, so that an error names its call without carrying a string.
    public enum StaticName: String, Sendable, Hashable, CustomStringConvertible {
        case accept4, bind, connect, eventfd, getpeername, getsockname, getsockopt, listen, recv, send, setsockopt,
            socket
        case epollCreate1 = "epoll_create1"
        case epollCtl = "epoll_ctl"
        case pthreadCreate = "pthread_create"

        public var description: String { rawValue }
    }
}
