// SPDX-License-Identifier: Apache-2.0
// Safety: each pointer is into a value that lives as long as the one system call it is lent to, with that value's own
// size.
import Foundation
import Glibc

/// Standard output and standard error, of which neither may be there. `FileHandle.write(_:)` traps then, and Swift's
/// `print` keeps silent.
enum StandardStreams {
    /// What is lost is a failure of the command.
    struct WriteError: ReportedFailure, CustomStringConvertible {
        let number: Int32

        var exitStatus: ExitStatus { .unwritable }

        /// The reader has gone, as `head` does when it has enough.
        var isBrokenPipe: Bool { number == EPIPE }

        var description: String { unsafe "cannot write to standard output: \(String(cString: strerror(number)))" }
    }

    /// Gives each of the three that is closed to /dev/null, opened the wrong way round: to use it is an error still,
    /// and no socket gets its number and what was meant for people.
    static func occupyClosed() {
        for (descriptor, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is the one that is closed.
            _ = unsafe open("/dev/null", mode)
        }
    }

    /// Writes text and the end of its last line to standard output, with nothing in it that steers a terminal.
    static func print(_ text: String) throws(WriteError) {
        try write(Data((TerminalText.cleaned(text) + "\n").utf8))
    }

    /// Writes to standard output, as it is.
    static func write(_ data: Data) throws(WriteError) {
        try write(data, to: STDOUT_FILENO)
    }

    /// Writes text and the end of its last line to standard error, without characters that control a terminal. If that
    /// fails, there is no way left to tell.
    static func tell(_ text: String) {
        try? write(Data((TerminalText.cleaned(text) + "\n").utf8), to: STDERR_FILENO)
    }

    /// Writes to a descriptor, all of it.
    static func write(_ data: Data, to descriptor: Int32) throws(WriteError) {
        var rest = data[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                // Another process that shares the pipe may have made it non-blocking.
                waitUntilWritable(descriptor)
            } else if errno != EINTR {
                throw WriteError(number: errno)
            }
        }
    }

    private static func waitUntilWritable(_ descriptor: Int32) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = unsafe poll(&entry, 1, -1)
    }
}
