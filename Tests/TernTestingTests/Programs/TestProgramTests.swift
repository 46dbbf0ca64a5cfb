// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock
import TestPrograms
import Testing

@Suite(.timeLimit(.minutes(2))) struct TestProgramTests {
    @Test func `a program starts the same wherever the tests run`() async throws {
        // What a shell does to its background processes, nohup to its own, and a test's thread to itself. Nothing here
        // depends on this signal.
        signal(SIGURG, SIG_IGN)
        var inherited: [Int32] = [-1, -1]
        unsafe pipe(&inherited)
        defer { for end in inherited { close(end) } }
        let written = Lock("")
        let program = try withSignalsBlocked {
            try TestProgram(
                ["sh", "-c", "grep -E '^Sig(Blk|Ign)' /proc/self/status; cat /proc/self/stat; ls -l /proc/self/fd"],
                in: URL(filePath: "/"), limit: .seconds(60),
                output: { bytes in written.withLock { $0 += String(decoding: bytes, as: UTF8.self) } })
        }
        #expect(await program.ending() == .exited(0))
        let lines = written.withLock { $0 }.split(separator: "\n").map { $0.split(separator: " ") }
        // But for 32 and 33, which are the C library's own.
        let signals = lines.prefix(2).map { UInt64($0.joined().suffix(16), radix: 16).map { $0 & ~(3 << 31) } }
        #expect(signals == [0, 0])
        // The session, and the terminal that controls it.
        #expect(lines[2][5] == "\(program.identifier)" && lines[2][6] == "0")
        let descriptors = lines.dropFirst(3).filter { $0.contains("->") }.map { $0.suffix(3).joined(separator: " ") }
        #expect(descriptors.first == "0 -> /dev/null")
        // The last is the folder that `ls` reads.
        #expect(descriptors.map { $0.first } == ["0", "1", "2", "3"])
    }

    @Test func `what is written to a program is its input, however slowly it reads`() async throws {
        let text = String(repeating: "line\n", count: 100_000)
        let read = Lock(Data())
        let program = try TestProgram(
            ["cat"], input: .pipe, limit: .seconds(60), output: { bytes in read.withLock { $0 += bytes } })
        try await program.write(Data(text.utf8))
        program.closeInput()
        #expect(await program.ending() == .exited(0))
        #expect(read.withLock { $0 } == Data(text.utf8))
        await #expect(throws: TestProgram.Failure.self) { try await program.write(Data("late".utf8)) }
    }

    @Test func `writing to a program that reads no more is an error, and no signal`() async throws {
        let program = try TestProgram(["sh", "-c", "exec <&-; exec sleep 600"], input: .pipe, output: { _ in })
        await #expect(throws: TestProgram.Failure.self) {
            while true { try await program.write(Data(count: 65536)) }
        }
        program.send(SIGTERM)
        #expect(await program.ending() == .signalled(SIGTERM))
    }

    private func withSignalsBlocked<Value>(_ work: () throws -> Value) rethrows -> Value {
        var (all, before) = (sigset_t(), sigset_t())
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        return try work()
    }
}
