// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Tern

@Suite struct RequestRetryTests {
    private let manager = SessionManager()
    private let registry = TaskRegistry()

    @Test func `a retry keeps a request without a task in the registry, and retains it`() {
        var retry: RequestRetry? = RequestRetry(
            manager.request("not a url"), { _, _, answer in answer(false, 0) }, registry)
        #expect(registry.all.count == 1)
        withExtendedLifetime(retry) {}
        retry = nil
        #expect(registry.all.isEmpty)
    }

    @Test func `the retrier is asked about the request and its error`() async throws {
        let request = manager.request("not a url")
        let journal = Journal()
        let retry = RequestRetry(
            request,
            { asked, error, answer in
                journal.note("\(asked === request) \(error is AFError)")
                answer(true, 3)
            }, registry)
        retry.ask(about: AFError.invalidURL(url: "not a url")) { retries, delay in journal.note("\(retries) \(delay)") }
        #expect(journal.entries == ["true true", "true 3.0"])
    }
}
