// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import Tern

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
