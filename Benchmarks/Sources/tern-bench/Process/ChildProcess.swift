// SPDX-License-Identifier: Apache-2.0
// posix_spawn rather than Foundation's Process, because only wait4 returns the CPU time of one child, and because
// children must not inherit the signal mask of the thread that starts them: Swift's threads block signals. Safety: C
// strings and spawn attributes live until posix_spawn returns; each descriptor has one owner at any time.

internal import Foundation
internal import Glibc

/// A program whose output is collected, and whose input lasts as long as this object.
final class ChildProcess {
    struct Ended {
        var output: String
        var succeeded: Bool
        /// The signal that ended it, if one did.
        var signal: Int32?
        var usage: ResourceUsage
    }

    let identifier: pid_t
    private let input: FileHandle
    private let output: FileHandle

    /// Standard error is this process's own unless `mergesError`.
    init(
        _ path: String, _ arguments: [String], environment: [String: String] = [:], mergesError: Bool = false
    ) throws {
        let (input, output) = (Self.makePipe(), Self.makePipe())
        self.input = input.fileHandleForWriting
        self.output = output.fileHandleForReading
        let lent = [
            (input.fileHandleForReading.fileDescriptor, STDIN_FILENO),
            (output.fileHandleForWriting.fileDescriptor, STDOUT_FILENO),
        ]
        let error = mergesError ? [(output.fileHandleForWriting.fileDescriptor, STDERR_FILENO)] : []
        identifier = try Self.spawn(path, arguments, environment, descriptors: lent + error)
        try input.fileHandleForReading.close()
        try output.fileHandleForWriting.close()
    }

    /// Ends the child's input, and so a child that lives for as long as it has one.
    func closeInput() { try? input.close() }

    /// Waits until the child has ended.
    func waitForEnd() throws -> Ended {
        let bytes = try output.readToEnd() ?? Data()
        var status: Int32 = 0
        var usage = rusage()
        while unsafe wait4(identifier, &status, 0, &usage) < 0, errno == EINTR {}
        return Ended(
            output: String(decoding: bytes, as: UTF8.self), succeeded: status == 0,
            signal: status & 0x7f == 0 ? nil : status & 0x7f, usage: ResourceUsage(usage))
    }

    /// The program's place, looked for where commands and daemons are.
    static func path(of program: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin:/sbin"
        return folders.split(separator: ":").map { "\($0)/\(program)" }
            .first(where: FileManager.default.isExecutableFile(atPath:))
    }

    /// A pipe that only the children it is given to have: any other would keep its input open.
    private static func makePipe() -> Pipe {
        let pipe = Pipe()
        for end in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
            _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        return pipe
    }

    private static func spawn(
        _ path: String, _ arguments: [String], _ environment: [String: String], descriptors: [(Int32, Int32)]
    ) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (own, childs) in descriptors { unsafe posix_spawn_file_actions_adddup2(&actions, own, childs) }

        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var noSignals = sigset_t()
        unsafe sigemptyset(&noSignals)
        unsafe posix_spawnattr_setsigmask(&attributes, &noSignals)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }.map { "\($0)=\($1)" }
        var identifier: pid_t = 0
        let code = unsafe withCStrings([path] + arguments) { arguments in
            unsafe withCStrings(variables) { variables in
                unsafe posix_spawn(&identifier, path, &actions, &attributes, arguments, variables)
            }
        }
        guard code == 0 else { throw PeerUnavailable(reason: "\(path) cannot be started: errno \(code)") }
        return identifier
    }

    /// Lends the strings as a C array that ends with a null pointer.
    private static func withCStrings<T>(
        _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> T
    ) -> T {
        var pointers: [UnsafeMutablePointer<CChar>?] = unsafe strings.map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
        return unsafe body(&pointers)
    }
}
