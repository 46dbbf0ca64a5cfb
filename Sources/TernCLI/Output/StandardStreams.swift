// SPDX-License-Identifier: Apache-2.0
// Safety: each pointer refers to a value that lives as long as the one system call it is lent to, with that value's own
// size.
import FoundationEssentials
import TernLibC
import TernLock

/// Standard output and standard error, either of which may be closed. `FileHandle.write(_:)` traps then, and Swift's
/// `print` is silent.
enum StandardStreams {
    /// Lost output is a failure of the command.
    struct WriteError: ReportedFailure, CustomStringConvertible {
        let number: Int32

        var exitStatus: ExitStatus { .unwritable }

        /// The reader has gone, as `head` does when it has enough.
        var isBrokenPipe: Bool { number == EPIPE }

        var description: String { unsafe "cannot write to standard output: \(String(cString: strerror(number)))" }
    }

    /// Opens /dev/null for each of the three that is closed, in the wrong direction: using it is still an error, and no
    /// socket gets its number and thereby output for the user.
    static func occupyClosed() {
        for (descriptor, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is the closed one.
            _ = unsafe open("/dev/null", mode)
        }
    }

    /// Writes text and a line end to standard output, without characters that control a terminal.
    static func print(_ text: String) throws(WriteError) {
        try write(Data((TerminalText.cleaned(text) + "\n").utf8))
    }

    /// Writes to standard output, unchanged.
    static func write(_ data: Data) throws(WriteError) {
        try write(data, to: STDOUT_FILENO)
    }

    /// Writes text and a line end to standard error, without characters that control a terminal. If that fails, there
    /// is no output left to report it.
    static func tell(_ text: String) {
        try? write(Data((TerminalText.cleaned(text) + "\n").utf8), to: STDERR_FILENO)
    }

    /// Held while a piece is written: transfers go side by side, and what one writes is not torn by another, not even
    /// where a pipe takes half of it. One lock for each of the two, so that lost output can be reported.
    private static let outputTurn = Lock(())
    private static let errorsTurn = Lock(())

    /// Writes all of it to a descriptor.
    static func write(_ data: Data, to descriptor: Int32) throws(WriteError) {
        switch descriptor {
        case STDOUT_FILENO: try outputTurn.withLock { _ throws(WriteError) in try writeAll(data, to: descriptor) }
        case STDERR_FILENO: try errorsTurn.withLock { _ throws(WriteError) in try writeAll(data, to: descriptor) }
        default: try writeAll(data, to: descriptor)
        }
    }

    private static func writeAll(_ data: Data, to descriptor: Int32) throws(WriteError) {
        var rest = data[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe TernLibC.write(descriptor, $0.baseAddress, $0.count) }
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
