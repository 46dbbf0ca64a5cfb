// SPDX-License-Identifier: Apache-2.0
public import Foundation
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

extension Notification.Name {
    /// Notifications about tasks. Posting begins when a name is requested here: an unobserved request costs nothing.
    public struct Task {
        /// A request was resumed; the object is the request.
        // swift-format-ignore: AlwaysUseLowerCamelCase
        public static var DidResume: Notification.Name { TaskNotifications.watched("didResume") }
        /// A request was suspended; the object is the request.
        // swift-format-ignore: AlwaysUseLowerCamelCase
        public static var DidSuspend: Notification.Name { TaskNotifications.watched("didSuspend") }
        /// A request was cancelled; the object is the request.
        // swift-format-ignore: AlwaysUseLowerCamelCase
        public static var DidCancel: Notification.Name { TaskNotifications.watched("didCancel") }
        /// A task has ended finally: no retry follows. The object is the ``SessionDelegate``. Posted on the callback
        /// queue, before the request's handlers run.
        // swift-format-ignore: AlwaysUseLowerCamelCase
        public static var DidComplete: Notification.Name { TaskNotifications.watched("didComplete") }
    }
}

extension Notification {
    /// The keys of the user info of notifications about tasks.
    public struct Key {
        /// The task.
        // swift-format-ignore: AlwaysUseLowerCamelCase
        public static let Task = "org.alamofire.notification.key.task"
        /// The body, if it was collected.
        // swift-format-ignore: AlwaysUseLowerCamelCase
        public static let ResponseData = "org.alamofire.notification.key.responseData"
    }
}
