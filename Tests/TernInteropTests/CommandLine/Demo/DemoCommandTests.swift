// SPDX-License-Identifier: Apache-2.0
import Testing

@Suite struct DemoCommandTests {
    @Test func `accepts the right pin, refuses the wrong one unseen, and shows a figure`() async throws {
        let result = try await TernTool.run("demo", "-d", "0.3")
        #expect(result.status == 0)
        #expect(result.text.contains("Hello from behind a pinned key."))
        #expect(result.text.contains("Refused: localhost is not trusted: none of the pinned keys is in the chain"))
        #expect(result.text.contains("Requests the origin has seen from this attempt: 0"))
        #expect(result.text.contains("requests/s"))
    }
}
