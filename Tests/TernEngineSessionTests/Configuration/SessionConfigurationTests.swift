// SPDX-License-Identifier: Apache-2.0
import TernTesting
import Testing

@testable import TernEngine
@testable import TernEngineTestSupport

@Suite(.timeLimit(.minutes(1))) struct SessionConfigurationTests {
    @Test(
        arguments: [
            (.bareLineFeedInHead, "HTTP/1.1 200 OK\nContent-Length: 4\n\nfine"),
            (.chunkedInHTTP10, "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfine\r\n0\r\n\r\n"),
        ] as [(ParsingLeniency, String)])
    func `a rule is relaxed by its leniency, and by nothing else`(leniency: ParsingLeniency, answer: String)
        async throws
    {
        let origin = try ScriptedOrigin { _, _ in [.send(answer), .close] }
        let lenient = Session.limited { $0.leniency = leniency }
        // Also where a connection was there before the request: it is reused if it can be.
        for _ in 0..<2 { #expect(try await lenient.text(URLRequest(origin)) == "fine") }
        let strict = Session.limited()
        #expect(await strict.failure(of: try URLRequest(origin))?.reason.malformation != nil)
    }
}
