// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernAlamofire
import Testing

@Suite struct SessionManagerConfigurationTests {
    @Test func `a handler for background events is accepted and not kept`() {
        let manager = SessionManager()
        manager.backgroundCompletionHandler = {}
        #expect(manager.backgroundCompletionHandler == nil)
    }
}
