// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import Testing

@testable import TernCLI

@Suite struct TrustQuestionTests {
    @Test(arguments: [
        ["https://a.test/", "--chain", "x"], ["--chain", "x", "--pin", "y", "--policy", "z"], ["http://a.test/"],
        ["--chain", "x", "--policy", "z"], ["--chain", "x", "--profile", "other"],
    ])
    func `questions that contradict themselves are refused`(arguments: [String]) {
        #expect(throws: (any Error).self) { try TrustQuestion.parse(arguments) }
    }

    @Test(arguments: [
        ["--chain", "/nowhere/x"], ["--chain", "/dev/null", "--at", "yesterday"], ["--pin", "sha256/x"],
        ["--policy", "/nowhere/x", "--host", "a.test"], [],
    ])
    func `what cannot be answered is wrong usage`(arguments: [String]) async throws {
        let question = try TrustQuestion.parse(arguments)
        await #expect(throws: (any Error).self) { try await question.answer() }
    }
}
