// SPDX-License-Identifier: Apache-2.0
public import Foundation

extension Notification.Name {
    /// A task of an ``AFURLSessionManager`` has ended, and its handler was told. The object is the task.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let AFNetworkingTaskDidComplete = Notification.Name("com.alamofire.networking.task.complete")
    /// The session of an ``AFURLSessionManager`` has been invalidated, and its last task has ended. The object is the session.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let AFURLSessionDidInvalidate = Notification.Name("com.alamofire.networking.session.invalidate")
}

extension Notification.Key {
    /// The serializer.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let AFNetworkingTaskDidCompleteResponseSerializer =
        "com.alamofire.networking.task.complete.responseserializer"
    /// What it made of the body, if it made anything.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let AFNetworkingTaskDidCompleteSerializedResponse =
        "com.alamofire.networking.task.complete.serializedresponse"
    /// The body.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let AFNetworkingTaskDidCompleteResponseData =
        "com.alamofire.networking.complete.finish.responsedata"
    /// What went wrong, if anything did.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let AFNetworkingTaskDidCompleteError = "com.alamofire.networking.task.complete.error"
    /// What the engine measured.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let AFNetworkingTaskDidCompleteSessionTaskMetrics =
        "com.alamofire.networking.complete.sessiontaskmetrics"
}
