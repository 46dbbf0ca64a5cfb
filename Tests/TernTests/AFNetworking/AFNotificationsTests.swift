// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernTesting
import TestProofs
import Testing

@testable import Tern
@testable import TernAFNetworking

@Suite struct AFNotificationsTests {
    @Test(.proves("1.21a")) func `notifications have AFNetworking's names`() {
        let names: [Notification.Name] = [
            .AFNetworkingTaskDidResume, .AFNetworkingTaskDidSuspend, .AFNetworkingTaskDidComplete,
            .AFURLSessionDidInvalidate, .AFURLSessionDownloadTaskDidMoveFileSuccessfully,
            .AFURLSessionDownloadTaskDidFailToMoveFile,
        ]
        let suffixes = [
            "task.resume", "task.suspend", "task.complete", "session.invalidate",
            "session.download.file-manager-succeed", "session.download.file-manager-error",
        ]
        #expect(names.map(\.rawValue) == suffixes.map { "com.alamofire.networking.\($0)" })
    }
}

@Suite(.timeLimit(.minutes(2))) struct AFStateNotificationsTests {
    private let manager = AFURLSessionManager()
    private let journal = Journal()

    private func request(_ origin: ScriptedOrigin) throws -> Tern.URLRequest {
        try Tern.URLRequest(string: origin.url())
    }

    /// Notes the notifications of that name.
    private func observe(
        _ name: Notification.Name, _ note: @escaping @Sendable (Notification) -> String?
    ) -> any NSObjectProtocol {
        NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { [journal] notification in
            if let line = note(notification) { journal.note(line) }
        }
    }

    @Test(.proves("1.1d", "1.4d", "1.13b", "1.14a", "1.21c"))
    func `resuming and suspending are posted where something changes, and for tasks of managers only`()
        async throws
    {
        let origin = try ScriptedOrigin { _, _ in [.hold, .ok("[]")] }
        let request = try request(origin)
        let task = manager.dataTask(with: request)
        let foreign = manager.session.dataTask(with: request)
        let identifiers = [task.taskIdentifier: "task", foreign.taskIdentifier: "foreign"]
        let note: @Sendable (String) -> @Sendable (Notification) -> String? = { word in
            { notification in
                (notification.object as? SessionTask).flatMap { identifiers[$0.taskIdentifier] }.map { "\($0) \(word)" }
            }
        }
        let observers = [
            observe(.AFNetworkingTaskDidResume, note("resumed")),
            observe(.AFNetworkingTaskDidSuspend, note("suspended")),
            observe(.AFNetworkingTaskDidComplete, note("complete")),
        ]
        defer { observers.forEach(NotificationCenter.default.removeObserver) }
        task.resume()
        task.resume()
        task.suspend()
        task.suspend()
        task.resume()
        foreign.resume()
        task.resume()
        #expect(await origin.waitFor { $0.requestCount == 2 })
        try origin.release()
        #expect(await eventually { journal.entries.last == "task complete" })
        foreign.cancel()
        task.resume()
        manager.queue.sync {}
        #expect(journal.entries == ["task resumed", "task suspended", "task resumed", "task complete"])
        #expect(Notification.Name.AFNetworkingTaskDidResume.rawValue == "com.alamofire.networking.task.resume")
        #expect(Notification.Name.AFNetworkingTaskDidSuspend.rawValue == "com.alamofire.networking.task.suspend")
    }
}
