// SPDX-License-Identifier: Apache-2.0
// A shell between the test and the server ends the server when its own input ends: that is, when the test releases this
// object, and also when the test process dies.
// Safety: socket addresses are passed to the kernel by pointers that live for the call, with their own size.
import Foundation
import Glibc
import TernLock
import TestPrograms

/// A server program that lives as long as this object.
final class ServerProcess: Sendable {
    /// What the program writes, standard output and standard error together.
    let output = LineLog()
    private let supervisor: TestProgram
    private let program: String

    /// - Parameters:
    ///   - package: What to install if the program is missing.
    ///   - folder: Where the program runs.
    init(_ program: String, _ arguments: [String], package: String, in folder: URL) throws {
        guard let path = Self.path(of: program) else {
            throw ServerError.notInstalled(program: program, package: package)
        }
        self.program = program
        let supervise = #"""
            exec 3<&0
            "$@" </dev/null 3<&- & server=$!
            (read _ <&3; kill $server) & watch=$!
            wait $server
            kill $watch
            """#
        supervisor = try TestProgram(
            ["/bin/sh", "-c", supervise, "sh", path] + arguments, in: folder, input: .pipe, output: output.append)
    }

    deinit { release() }

    /// Ends the server without waiting for it. Idempotent.
    func release() { supervisor.closeInput() }

    /// Ends the server and waits until it has gone. Idempotent.
    func stop() async {
        release()
        _ = await supervisor.ending()
    }

    /// Waits until all the loopback ports accept connections.
    func waitUntilListening(on ports: UInt16..., within limit: Duration = .seconds(60)) async throws {
        let deadline = ContinuousClock.now + limit
        for port in ports {
            while !LoopbackPort(port).accepts() {
                guard supervisor.isRunning else { throw ServerError.ended(program: program, output: output.lines) }
                guard .now < deadline else { throw ServerError.silent(program: program, output: output.lines) }
                try await Task.sleep(for: .milliseconds(5))
            }
        }
    }

    private static func path(of program: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "") + ":/usr/sbin:/sbin"
        return folders.split(separator: ":").map { "\($0)/\(program)" }
            .first(where: FileManager.default.isExecutableFile(atPath:))
    }
}

/// Why a real server is not there for a test. A test fails with it; it never skips.
enum ServerError: Error, CustomStringConvertible {
    case notInstalled(program: String, package: String)
    case noFreePort(errno: Int32)
    case ended(program: String, output: [String])
    case silent(program: String, output: [String])

    var description: String {
        switch self {
        case .notInstalled(let program, let package): "\(program) is not installed: apt-get install \(package)"
        case .noFreePort(let errno): "no free loopback port: errno \(errno)"
        case .ended(let program, let output): "\(program) ended:\n" + output.joined(separator: "\n")
        case .silent(let program, let output): "\(program) accepts no connection:\n" + output.joined(separator: "\n")
        }
    }
}

/// A TCP port on 127.0.0.1.
struct LoopbackPort {
    let number: UInt16

    init(_ number: UInt16) { self.number = number }

    /// A port without a listener at the moment; another process may be faster to take it.
    static func free() throws(ServerError) -> LoopbackPort {
        let descriptor = openSocket()
        defer { close(descriptor) }
        var address = LoopbackPort(0).address
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, size) == 0 ? getsockname(descriptor, $0, &size) : -1
            }
        }
        guard result == 0 else { throw .noFreePort(errno: errno) }
        return LoopbackPort(UInt16(bigEndian: address.sin_port))
    }

    /// Whether a connection to it succeeds.
    func accepts() -> Bool {
        let descriptor = Self.openSocket()
        defer { close(descriptor) }
        var address = address
        return unsafe withUnsafeMutablePointer(to: &address) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private var address: sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = number.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func openSocket() -> Int32 {
        socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    }
}

/// The lines a server writes, as they come.
final class LineLog: Sendable {
    typealias Condition = @Sendable ([String]) -> Bool

    fileprivate struct State {
        var lines: [String] = []
        var partial: [UInt8] = []
        var isComplete = false
        var waiters: [UUID: (condition: Condition, continuation: CheckedContinuation<Bool, Never>)] = [:]
    }

    private let state = Lock(State())

    /// All lines so far.
    var lines: [String] { state.withLock { $0.lines } }

    /// Takes what a pipe delivers. No bytes mean that no more will come.
    @Sendable func append(_ bytes: Data) {
        let answers = state.withLock { state in
            state.take(bytes)
            return state.answers()
        }
        for (continuation, answer) in answers { continuation.resume(returning: answer) }
    }

    /// Waits until the lines meet the condition. False if the time passes or the server ends before they do.
    func waitFor(_ timeout: Duration = .seconds(60), _ condition: @escaping Condition) async -> Bool {
        let key = UUID()
        var timer: Task<Void, Never>?
        defer { timer?.cancel() }
        return await withCheckedContinuation { continuation in
            let answers = state.withLock { state in
                state.waiters[key] = (condition, continuation)
                return state.answers()
            }
            for (continuation, answer) in answers { continuation.resume(returning: answer) }
            timer = Task {
                try? await Task.sleep(for: timeout)
                state.withLock { $0.waiters.removeValue(forKey: key) }?.continuation.resume(returning: false)
            }
        }
    }
}

extension LineLog.State {
    fileprivate mutating func take(_ bytes: Data) {
        isComplete = isComplete || bytes.isEmpty
        partial += bytes
        while let end = partial.firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(String(decoding: partial[..<end], as: UTF8.self))
            partial.removeFirst(end + 1)
        }
    }

    /// Removes the waiters that have their answer.
    fileprivate mutating func answers() -> [(CheckedContinuation<Bool, Never>, Bool)] {
        waiters.compactMap { key, waiter in
            let holds = waiter.condition(lines)
            guard holds || isComplete else { return nil }
            waiters[key] = nil
            return (waiter.continuation, holds)
        }
    }
}
