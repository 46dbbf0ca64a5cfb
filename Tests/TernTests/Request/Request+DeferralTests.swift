// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import Tern

@Suite struct RequestDeferralTests {
    @Test func `work runs on the callback queue after the work before it, without the request`() async {
        let manager = SessionManager()
        manager.startRequestsImmediately = false
        let journal = Journal()
        let afterReports = manager.request("http://127.0.0.1:1/").afterReports
        afterReports { journal.note("first") }
        await withCheckedContinuation { continuation in afterReports { continuation.resume() } }
        #expect(journal.entries == ["first"])
    }
}
