// SPDX-License-Identifier: Apache-2.0
// Safety: the strings of a spawn live until it returns. Each descriptor has one owner:
// the watching thread those that it reads, the lock the one that is written, and the child those that it is given.

import CTestPrograms
public import Foundation
import Glibc
import TernLock

/// A program that a test has started, the same wherever the tests run: in a session and a process group of its own and
/// without a terminal, with every signal unblocked and at its default action, and with no descriptor but the standard
/// ones.
///
/// A thread of its own reads what the program writes and waits for its end, so that no thread of Swift's pool blocks.
public final class TestProgram: Sendable {
    /// What the program reads.
    public enum Input: Sendable {
        /// `/dev/null`.
        case nothing
        /// A pipe, until `closeInput`.
        case pipe
    }

    /// How a program ended.
    public enum Ending: Sendable, Equatable {
        case exited(Int32)
        case signalled(Int32)
        /// The limit passed. The program was killed, and all that it had started.
        case timedOut
    }

    public enum Failure: Error {
        case notStarted(program: String, errno: Int32)
        case inputClosed
    }

    /// Takes what the program writes, on the watching thread. No bytes mean that no more will come.
    public typealias Reader = @Sendable (Data) -> Void

    private struct State {
        var input: Int32?
        var isReaped = false
        var ending: Ending?
        var waiters: [CheckedContinuation<Ending, Never>] = []
    }

    public let identifier: Int32
    private let state: Lock<State>

    /// Starts a program, looked for in PATH.
    ///
    /// - Parameters:
    ///   - environment: All of it; nil for this process's own.
    ///   - folder: Where the program runs; nil for the current directory.
    ///   - limit: When it is killed; nil for never.
    ///   - errors: Takes what it writes to standard error; nil if `output` does.
    public init(
        _ command: [String], environment: [String: String]? = nil, in folder: URL? = nil, input: Input = .nothing,
        limit: Duration? = nil, output: @escaping Reader, errors: Reader? = nil
    ) throws {
        let stdin = input == .pipe ? try ends() : nil
        let stdout = try ends()
        let stderr = errors == nil ? nil : try ends()
        defer { for end in [stdin?.reading, stdout.writing, stderr?.writing] { end.map { _ = close($0) } } }
        do {
            identifier = try spawn(
                command, environment, folder, stdin?.reading, stdout.writing, stderr?.writing ?? stdout.writing)
        } catch {
            for end in [stdin?.writing, stdout.reading, stderr?.reading] { end.map { _ = close($0) } }
            throw error
        }
        state = Lock(State(input: stdin?.writing))
        var readers = [(stdout.reading, output)]
        if let stderr, let errors { readers.append((stderr.reading, errors)) }
        let deadline = limit.map { ContinuousClock.now + $0 }
        Thread.detachNewThread { [readers] in self.watch(readers, until: deadline) }
    }

    deinit { closeInput() }

    /// Waits for the end of the program and of its output. It is killed when the test is cancelled, for instance because
    /// the test's own limit passed.
    public func ending() async -> Ending {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let ending = state.withLock { state in
                    if state.ending == nil { state.waiters.append(continuation) }
                    return state.ending
                }
                if let ending { continuation.resume(returning: ending) }
            }
        } onCancel: {
            kill()
        }
    }

    /// Whether the program runs, or has ended only a moment ago.
    public var isRunning: Bool { state.withLock { $0.ending == nil } }

    /// Sends a signal to the program; to no other process, should it have ended.
    public func send(_ signal: Int32) { state.withLock { if !$0.isReaped { _ = Glibc.kill(identifier, signal) } } }

    /// Kills the program and all that it has started. Does not wait.
    public func kill() { state.withLock { if !$0.isReaped { _ = Glibc.kill(-identifier, SIGKILL) } } }

    /// Writes to the program's input.
    public func write(_ bytes: Data) async throws {
        guard let input = state.withLock({ $0.input }) else { throw Failure.inputClosed }
        let isWritten = await withCheckedContinuation { continuation in
            // Blocks until the program reads.
            Thread.detachNewThread { continuation.resume(returning: writeAll(bytes, to: input)) }
        }
        guard isWritten else { throw Failure.inputClosed }
    }

    /// Ends the program's input. Idempotent.
    public func closeInput() {
        let input = state.withLock { state in
            defer { state.input = nil }
            return state.input
        }
        if let input { close(input) }
    }

    private func watch(_ readers: [(descriptor: Int32, read: Reader)], until deadline: ContinuousClock.Instant?) {
        blockSignals()
        var (readers, hasTimedOut) = (readers, false)
        // Killed programs leave their outputs at once. One that has escaped to a session of its own may not.
        var patience = deadline
        while !readers.isEmpty, !hasTimedOut || patience.map({ $0 > .now }) ?? true {
            if let deadline, !hasTimedOut, deadline <= .now {
                hasTimedOut = true
                patience = .now + .seconds(1)
                kill()
            }
            readers = Self.read(readers, until: patience)
        }
        for reader in readers { Self.finish(reader) }
        var pause: UInt32 = 100
        while !hasEnded {
            if let deadline, !hasTimedOut, deadline <= .now {
                hasTimedOut = true
                kill()
            }
            usleep(pause)
            pause = min(2 * pause, 5000)
        }
        let status = reap()
        finish(hasTimedOut ? .timedOut : status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .signalled(status & 0x7F))
    }

    /// Reads once from what is ready. Returns those that have not ended.
    private static func read(
        _ readers: [(descriptor: Int32, read: Reader)], until end: ContinuousClock.Instant?
    ) -> [(descriptor: Int32, read: Reader)] {
        var polled = readers.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        let left = end.map { max(.zero, $0 - .now).components }
        let milliseconds = left.map {
            Int32(min($0.seconds, 1000)) * 1000 + Int32($0.attoseconds / 1_000_000_000_000_000) + 1
        }
        guard unsafe poll(&polled, nfds_t(polled.count), milliseconds ?? -1) > 0 else { return readers }
        return zip(readers, polled).filter { reader, entry in
            guard entry.revents != 0 else { return true }
            var bytes = [UInt8](repeating: 0, count: 65536)
            let count = unsafe Glibc.read(reader.descriptor, &bytes, bytes.count)
            if count < 0, errno == EINTR { return true }
            guard count > 0 else {
                finish(reader)
                return false
            }
            reader.read(Data(bytes.prefix(count)))
            return true
        }.map(\.0)
    }

    private static func finish(_ reader: (descriptor: Int32, read: Reader)) {
        close(reader.descriptor)
        reader.read(Data())
    }

    private var hasEnded: Bool {
        var information = unsafe siginfo_t()
        let result = unsafe waitid(P_PID, id_t(identifier), &information, WEXITED | WNOHANG | WNOWAIT)
        return unsafe result != 0 || information.si_signo == SIGCHLD
    }

    private func reap() -> Int32 {
        state.withLock { state in
            // What it has left running. Until it is reaped, no other group can have its number.
            _ = Glibc.kill(-identifier, SIGKILL)
            var status: Int32 = 0
            unsafe waitpid(identifier, &status, 0)
            state.isReaped = true
            return status
        }
    }

    private func finish(_ ending: Ending) {
        let waiters = state.withLock { state in
            state.ending = ending
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: ending) }
    }
}

/// The ends of a new pipe, which no child inherits, and none of which takes the place of a standard descriptor that
/// this process lacks.
private func ends() throws -> (reading: Int32, writing: Int32) {
    var low: [Int32] = [-1, -1]
    guard unsafe pipe(&low) == 0 else { throw TestProgram.Failure.notStarted(program: "pipe", errno: errno) }
    defer { for end in low { close(end) } }
    return (fcntl(low[0], F_DUPFD_CLOEXEC, 3), fcntl(low[1], F_DUPFD_CLOEXEC, 3))
}

private func spawn(
    _ command: [String], _ environment: [String: String]?, _ folder: URL?, _ input: Int32?, _ output: Int32,
    _ errors: Int32
) throws -> pid_t {
    let environment = environment ?? ProcessInfo.processInfo.environment
    var arguments = unsafe command.map { unsafe strdup($0) } + [nil]
    var variables = unsafe environment.map { unsafe strdup("\($0)=\($1)") } + [nil]
    defer { unsafe (arguments + variables).forEach { unsafe free($0) } }
    guard let program = command.first else { throw TestProgram.Failure.notStarted(program: "", errno: ENOENT) }
    var identifier: pid_t = 0
    let code = unsafe tern_start_program(
        &identifier, &arguments, &variables, folder?.path, input ?? -1, output, errors)
    guard code == 0 else { throw TestProgram.Failure.notStarted(program: program, errno: code) }
    return identifier
}

private func writeAll(_ bytes: Data, to descriptor: Int32) -> Bool {
    blockSignals()
    return unsafe bytes.withUnsafeBytes { buffer in
        var rest = unsafe buffer[...]
        while let start = unsafe UnsafeRawBufferPointer(rebasing: rest).baseAddress, unsafe !rest.isEmpty {
            let count = unsafe write(descriptor, start, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            unsafe rest = rest.dropFirst(count)
        }
        return true
    }
}

/// A write to a pipe that is read no more ends in an error on this thread instead of a signal.
private func blockSignals() {
    var all = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_SETMASK, &all, nil)
}
