// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import Tern
import TernEngine
import TernLock

extension Notification.Name {
    /// A task of an ``AFURLSessionManager`` started or continued. The object is the task. Posted only once this name or
    /// the next has been requested.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static var AFNetworkingTaskDidResume: Notification.Name {
        AFStateNotifications.watched(AFStateNotifications.resumed)
    }
    /// A task of an ``AFURLSessionManager`` that ran is suspended. The object is the task.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static var AFNetworkingTaskDidSuspend: Notification.Name {
        AFStateNotifications.watched(AFStateNotifications.suspended)
    }
    /// A task of an ``AFURLSessionManager`` has ended, and its handler was called. The object is the task.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let AFNetworkingTaskDidComplete = Notification.Name("com.alamofire.networking.task.complete")
    /// The session of an ``AFURLSessionManager`` has been invalidated, and its last task has ended. The object is the
    /// session.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let AFURLSessionDidInvalidate = Notification.Name("com.alamofire.networking.session.invalidate")
    /// The file of a download was moved to its destination. The object is the task.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let AFURLSessionDownloadTaskDidMoveFileSuccessfully = Notification.Name(
        "com.alamofire.networking.session.download.file-manager-succeed")
    /// The file of a download could not be moved to its destination, and stays in place. The object is the task, and
    /// `userInfo` has the error and both paths.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let AFURLSessionDownloadTaskDidFailToMoveFile = Notification.Name(
        "com.alamofire.networking.session.download.file-manager-error")
}

extension Notification.Key {
    /// The serializer.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let AFNetworkingTaskDidCompleteResponseSerializer =
        "com.alamofire.networking.task.complete.responseserializer"
    /// The serialized body, if any.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let AFNetworkingTaskDidCompleteSerializedResponse =
        "com.alamofire.networking.task.complete.serializedresponse"
    /// The destination of the body, if it became a file.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let AFNetworkingTaskDidCompleteAssetPath = "com.alamofire.networking.task.complete.assetpath"
    /// The body.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let AFNetworkingTaskDidCompleteResponseData =
        "com.alamofire.networking.complete.finish.responsedata"
    /// The error, if any.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let AFNetworkingTaskDidCompleteError = "com.alamofire.networking.task.complete.error"
    /// The metrics of the engine.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let AFNetworkingTaskDidCompleteSessionTaskMetrics =
        "com.alamofire.networking.complete.sessiontaskmetrics"
}

/// Posts when tasks of managers start to run and are suspended, once a name of such a notification has been requested:
/// until then resuming a task has no further cost.
enum AFStateNotifications {
    private struct WeakRegistry {
        weak var registry: AFTaskRegistry?
    }

    private static let registries = Lock<[WeakRegistry]>([])

    /// Posts for the tasks in `registry`, as long as that exists.
    static func serve(_ registry: AFTaskRegistry) {
        let held = registries.withLock { registries in
            let held = registries.compactMap(\.registry)
            registries = held.map { WeakRegistry(registry: $0) } + [WeakRegistry(registry: registry)]
            return held
        }
        withExtendedLifetime(held) {}
    }

    /// Returns a name and posts it from now on: a caller requests it in order to observe it.
    static func watched(_ name: Notification.Name) -> Notification.Name {
        listening
        return name
    }

    private static let listening: Void = TaskStateObservers.tell { task, runs in
        post(runs ? resumed : suspended, task)
    }

    static let resumed = Notification.Name("com.alamofire.networking.task.resume")
    static let suspended = Notification.Name("com.alamofire.networking.task.suspend")

    /// On the manager's queue, in the order of the events.
    private static func post(_ name: Notification.Name, _ identifier: Int) {
        let registries = registries.withLock { $0.compactMap(\.registry) }
        for registry in registries {
            guard let task = registry.task(identifier) else { continue }
            return registry.queue.async { NotificationCenter.default.post(name: name, object: task) }
        }
    }
}
