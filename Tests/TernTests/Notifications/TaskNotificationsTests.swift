// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernLock
import TernTesting
import TestProofs
import Testing

import Tern

@Suite struct TaskNotificationsTests {
    @Test(.proves("3.13d", "4.5c", "4.6c", "10.2a"))
    func `what happens to a request is posted with its task, the end before the handlers`() async throws {
        let origin = try ScriptedOrigin { _, _ in [.hold, .ok("body")] }
        let manager = SessionManager()
        manager.startRequestsImmediately = false
        let request = manager.request(origin.url())
        let task = try #require(request.task)
        let journal = Journal()
        let names = [
            (Notification.Name.Task.DidResume, "resume"), (.Task.DidSuspend, "suspend"), (.Task.DidCancel, "cancel"),
            (.Task.DidComplete, "complete"),
        ]
        let observers = names.map { name, word in
            NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { [weak request] notice in
                guard notice.userInfo?[Notification.Key.Task] as? SessionTask === task else { return }
                let isOwn = notice.object as? Request === request
                let isHub = notice.object as? SessionDelegate === manager.delegate
                let data = notice.userInfo?[Notification.Key.ResponseData] as? Data
                journal.note("\(word) \(isOwn) \(isHub) \(data?.count ?? -1)")
            }
        }
        defer { observers.forEach(NotificationCenter.default.removeObserver) }
        request.response { _ in journal.note("handler") }
        request.resume()
        request.suspend()
        request.resume()
        #expect(await origin.waitFor { $0.requestCount == 1 })
        try origin.release()
        _ = await request.serializingData().response
        request.cancel()
        #expect(
            journal.entries == [
                "resume true false -1", "suspend true false -1", "resume true false -1", "complete false true 4",
                "handler",
                "cancel true false -1",
            ])
    }

    @Test(.proves("10.2b")) func `the names are Alamofire's`() {
        #expect(Notification.Name.Task.DidResume.rawValue == "org.alamofire.notification.name.task.didResume")
        #expect(Notification.Name.Task.DidSuspend.rawValue == "org.alamofire.notification.name.task.didSuspend")
        #expect(Notification.Name.Task.DidCancel.rawValue == "org.alamofire.notification.name.task.didCancel")
        #expect(Notification.Name.Task.DidComplete.rawValue == "org.alamofire.notification.name.task.didComplete")
        #expect(Notification.Key.Task == "org.alamofire.notification.key.task")
    }
}
