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
        let folder = FileManager.default.temporaryDirectory.appending(path: "tern-command-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let error = await #expect(throws: Command.TimeLimitExceeded.self) {
            try await Command.run(
                ["sh", "-c", "exec 9>lock; flock 9; sleep 600 & echo held; echo oops >&2; wait"], in: folder,
                limit: .milliseconds(500))
        }
        let message = try #require(error?.description)
        #expect(message.hasPrefix("did not end within 0.5 seconds: sh -c exec 9>lock"))
        #expect(error?.output == "held\n" && error?.errors == "oops\n")
        // Free as soon as none of them is left.
        #expect(try await Command.run(["flock", "lock", "echo", "free"], in: folder).output == "free\n")
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
