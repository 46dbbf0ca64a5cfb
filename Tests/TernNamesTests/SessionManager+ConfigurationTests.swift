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

    @Test func `the delegate of a manager's session is the manager's`() {
        let manager = SessionManager()
        #expect(manager.session.delegate === manager.delegate)
        let hub = SessionDelegate()
        let session = URLSession(configuration: URLSessionConfiguration.default, delegate: hub, delegateQueue: nil)
        #expect(session.delegate === hub && session.delegate?.isEqual(hub) == true)
        #expect(SessionManager(session: session, delegate: hub)?.session === session)
    }
}
