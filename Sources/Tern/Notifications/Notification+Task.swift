// SPDX-License-Identifier: Apache-2.0
public import Foundation

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
