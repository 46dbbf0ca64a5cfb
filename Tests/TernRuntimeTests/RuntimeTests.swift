// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestPrograms
import Testing

/// Programs that begin with `TernRuntime.install()`, or use `TernRuntime.run`; each is a process of its own.
@Suite(.timeLimit(.minutes(2))) struct RuntimeTests {
    /// Runs a part of the program beside the test runner.
    private func lines(_ part: String) async throws -> (output: [String], errors: [String]) {
        let runner = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let program = URL(filePath: runner).deletingLastPathComponent().appending(path: "RuntimeProgram")
        let result = try await Command.run([program.path, part])
        #expect(result.status == 0, "\(result.errors)")
        return (
            result.output.split(separator: "\n").map(String.init), result.errors.split(separator: "\n").map(String.init)
        )
    }

    // Requests

    @Test func `with the runtime, 64 concurrent tasks await their requests on the reactors`() async throws {
        #expect(try await lines("requests").output == ["requests: 256 on a reactor"])
    }

    @Test func `in run, a task and its children are on the reactors, and the main actor is not`()
        async throws
    {
        #expect(
            try await lines("run").output == [
                "main actor in run: elsewhere", "run: 20 on a reactor", "main actor after run: elsewhere",
                "detached: elsewhere", "error: Refusal()",
            ])
    }

    @Test func `tasks that yield all the time do not keep requests from completing`() async throws {
        #expect(try await lines("storm").output == ["storm: 100 on a reactor"])
    }

    // Kinds of jobs

    @Test func `tasks, detached tasks, child tasks and actors run on the reactors, the main actor does not`()
        async throws
    {
        #expect(
            try await lines("kinds").output == [
                "task: a reactor", "detached: a reactor", "actor: a reactor", "child: a reactor",
                "group: 100 on a reactor", "main actor: elsewhere", "counted: 1000",
            ])
    }

    @Test func `ten thousand tasks from four other threads all finish`() async throws {
        #expect(try await lines("threads").output == ["finished: 10000"])
    }

    @Test func `a second installation has no effect`() async throws {
        #expect(try await lines("twice").output == ["more threads: 0", "task: a reactor"])
    }

    // Time

    @Test func `a sleep is never early, and on a reactor that is idle at most 6 ms late`() async throws {
        #expect(
            try await lines("sleep").output == [
                "continuous clock: in time", "suspending clock: in time", "nanoseconds: in time",
            ])
    }

    @Test func `ten thousand cancelled sleeps end at once and leak nothing`() async throws {
        #expect(try await lines("cancel").output == ["an hour's sleeps ended at once", "leaked: nothing"])
    }

    // Work that takes long

    @Test func `blocking work holds up no request, and its error is its own`() async throws {
        #expect(
            try await lines("blocking").output == [
                "beside them: 32 on a reactor", "blocked: 20 on a thread of its own", "error: Refusal()",
            ])
    }

    @Test(arguments: ["compute", "wait"])
    func `a debug build reports once what computes or waits for 50 ms`(_ part: String) async throws {
        let (output, errors) = try await lines(part)
        #expect(output == ["done"])
        #if DEBUG
            #expect(errors.count == 1)
            let warning = try #require(errors.first)
            #expect(
                try #/tern: a job ran for \d{2,} ms on a reactor.*/#.wholeMatch(in: warning) != nil,
                "\(warning)")
        #else
            #expect(errors.isEmpty)
        #endif
    }

    @Test func `a job that takes no time is not reported`() async throws {
        #expect(try await lines("quick").errors.isEmpty)
    }
}
