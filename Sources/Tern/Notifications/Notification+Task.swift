// SPDX-License-Identifier: Apache-2.0
public import Foundation

extension Notification.Name {
    /// What is posted about tasks. Posting begins when a name is asked for here: a request that is not watched pays
    /// nothing.
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
        /// A task has ended for good: no retry will follow. The object is the ``SessionDelegate``. Posted on the
        /// callback queue, before the request's handlers run.
        // swift-format-ignore: AlwaysUseLowerCamelCase
        public static var DidComplete: Notification.Name { TaskNotifications.watched("didComplete") }
    }
}

extension Notification {
    /// The keys of what notifications about tasks carry.
    public struct Key {
        /// The task.
        // swift-format-ignore: AlwaysUseLowerCamelCase
        public static let Task = "org.alamofire.notification.key.task"
        /// The body, if it was collected.
        // swift-format-ignore: AlwaysUseLowerCamelCase
        public static let ResponseData = "org.alamofire.notification.key.responseData"
    }
}
