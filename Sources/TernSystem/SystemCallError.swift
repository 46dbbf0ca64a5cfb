// SPDX-License-Identifier: Apache-2.0
import CTernLinux
import TernLibC

/// A failed system call: its name, and its `errno`.
public struct SystemCallError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The call's name in the manual, such as `connect`.
    public let call: Call
    /// The value of `errno`, such as `ECONNREFUSED`.
    public let code: Int32

    package init(_ call: Call, code: Int32) {
        self.call = call
        self.code = code
    }

    /// The system's message, such as "Connection refused".
    public var message: String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let text = buffer.baseAddress, unsafe strerror_r(code, text, buffer.count) == 0 else {
                return "unknown error"
            }
            return unsafe String(cString: text)
        }
    }

    /// Whether the process, or the machine, had no descriptor left.
    package var isDescriptorShortage: Bool { code == EMFILE || code == ENFILE }

    /// For example "connect: Connection refused (errno 111)".
    public var description: String { "\(call): \(message) (errno \(code))" }
}

extension SystemCallError {
    /// The system calls this package makes, so that an error names its call without carrying a string.
    public enum Call: String, Sendable, Hashable, CustomStringConvertible {
        /// accept4(2)
        case accept4
        /// bind(2)
        case bind
        /// close(2)
        case close
        /// connect(2)
        case connect
        /// eventfd(2)
        case eventfd
        /// flock(2)
        case flock
        /// fstat(2)
        case fstat
        /// ftruncate(2)
        case ftruncate
        /// getpeername(2)
        case getpeername
        /// getsockname(2)
        case getsockname
        /// getsockopt(2)
        case getsockopt
        /// inotify_init1(2)
        case inotifyInit1 = "inotify_init1"
        /// inotify_add_watch(2)
        case inotifyAddWatch = "inotify_add_watch"
        /// link(2)
        case link
        /// listen(2)
        case listen
        /// mkdir(2)
        case mkdir
        /// open(2)
        case open
        /// posix_fallocate(3), which returns its error instead of leaving it in `errno`
        case posixFallocate = "posix_fallocate"
        /// pread(2)
        case pread
        /// pwrite(2)
        case pwrite
        /// read(2)
        case read
        /// recv(2)
        case recv
        /// rename(2)
        case rename
        /// send(2)
        case send
        /// sendfile(2)
        case sendfile
        /// setsockopt(2)
        case setsockopt
        /// shutdown(2)
        case shutdown
        /// socket(2)
        case socket
        /// stat(2)
        case stat
        /// epoll_create1(2)
        case epollCreate1 = "epoll_create1"
        /// epoll_ctl(2)
        case epollCtl = "epoll_ctl"
        /// pthread_create(3), which returns its error instead of leaving it in `errno`
        case pthreadCreate = "pthread_create"

        /// The call's name.
        public var description: String { rawValue }
    }
}
