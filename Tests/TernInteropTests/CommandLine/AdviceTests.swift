// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import TernCLI

@Suite struct AdviceTests {
    @Test(
        "an option of curl or of another command is answered with what to do instead",
        arguments: [
            (["--next", "http://a/"], "tern has one set of options for all URLs; run tern once for each"),
            (["-C", "-", "http://a/"], "\"tern download -C -\" resumes a download"),
            (["-J", "http://a/"], "\"tern download URL\" names the file as the server proposes"),
            (["-n", "http://a/"], "give -u user:password"),
            (["--sha256", "00", "http://a/"], "it is an option of \"tern download\""),
            (["--no-reconnect", "http://a/"], "it is an option of \"tern events\""),
        ])
    func advice(arguments: [String], advice: String) async throws {
        let result = try await TernTool.run(arguments)
        #expect(result.status == 2)
        #expect(result.errors.hasPrefix("Error: Unknown option '\(arguments[0])': \(advice)\n"), "\(result.errors)")
    }

    @Test func `JSON behind --json is answered with how to send it`() async throws {
        let result = try await TernTool.run("--json", #"{"a":1}"#, "http://127.0.0.1:1/")
        #expect(result.status == 2)
        #expect(result.errors.contains("--json prints the response as JSON; send JSON with -d"), "\(result.errors)")
    }

    @Test func `"tern upload" without a file prints its own usage`() async throws {
        let result = try await TernTool.run("upload", "", "http://127.0.0.1:1/")
        #expect(result.status == 2)
        #expect(result.errors.contains("Usage: tern upload"), "\(result.errors)")
    }
}
