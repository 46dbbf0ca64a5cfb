// SPDX-License-Identifier: Apache-2.0
import Foundation
import Synchronization
import TernEngine

/// Posts notifications about tasks, once a name of one has been requested. Posting costs more than a tenth of a small
/// request, and usually there is no observer.
enum TaskNotifications {
    private static let areWatched = Atomic<Bool>(false)

    static var isWatched: Bool { areWatched.load(ordering: .relaxed) }

    /// Returns a name and posts it from now on: a caller requests it in order to observe it.
    static func watched(_ name: String) -> Notification.Name {
        areWatched.store(true, ordering: .relaxed)
        return full(name)
    }

    private static func full(_ name: String) -> Notification.Name {
        Notification.Name("org.alamofire.notification.name.task.\(name)")
    }

    static func didResume(_ request: AnyObject, _ task: SessionTask) { post("didResume", request, task) }

    static func didSuspend(_ request: AnyObject, _ task: SessionTask) { post("didSuspend", request, task) }

    static func didCancel(_ request: AnyObject, _ task: SessionTask) { post("didCancel", request, task) }

    static func didComplete(_ delegate: AnyObject, _ task: SessionTask, _ data: Data?) {
        post("didComplete", delegate, task, data)
    }

    private static func post(_ name: String, _ object: AnyObject, _ task: SessionTask, _ data: Data? = nil) {
        if !isWatched { return }
        var userInfo: [String: Any] = [Notification.Key.Task: task]
        userInfo[Notification.Key.ResponseData] = data
        NotificationCenter.default.post(name: full(name), object: object, userInfo: userInfo)
    }
}
