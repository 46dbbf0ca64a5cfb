// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestPrograms
import Testing

@Suite(.timeLimit(.minutes(2))) struct CommandTests {
    @Test func `a command's status and outputs are told apart`() async throws {
        let result = try await Command.run(["sh", "-c", "pwd; echo oops >&2; exit 3"], in: URL(filePath: "/"))
        #expect(result.status == 3 && result.output == "/\n" && result.errors == "oops\n")
        #expect(try await Command.run(["sh", "-c", "kill -KILL $$"]).status == SIGKILL)
        await #expect(throws: TestProgram.Failure.self) { try await Command.run(["no-such-program"]) }
    }

    @Test func `a command that hangs is killed with all that it started, and what it printed is reported`() async throws
    {
        let error = await #expect(throws: Command.TimeLimitExceeded.self) {
            try await Command.run(
                ["sh", "-c", "sleep 600 & echo $!; echo oops >&2; wait"], limit: .milliseconds(500))
        }
        let message = try #require(error?.description)
        #expect(message.hasPrefix("did not end within 0.5 seconds: sh -c sleep 600"))
        #expect(error?.errors == "oops\n")
        let started = try #require(error.flatMap { pid_t($0.output.dropLast()) })
        // Gone, or waiting to be collected.
        let state = try? String(contentsOfFile: "/proc/\(started)/stat", encoding: .utf8)
        #expect(state.map { $0.contains(") Z ") } ?? true)
    }

    @Test func `commands that hang keep no others waiting`() async throws {
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 { group.addTask { _ = try? await Command.run(["sleep", "600"]) } }
            for _ in 0..<8 {
                let result = try await Command.run(["echo", "hi"])
                #expect(result.output == "hi\n")
            }
            // Cancelling a test ends its commands.
            group.cancelAll()
        }
    }
}
