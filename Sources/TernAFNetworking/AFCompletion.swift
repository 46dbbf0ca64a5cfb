// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernEngine

/// The end of one task: serializes the body, calls the handler, then posts the notification.
struct AFCompletion: Sendable {
    /// Receives the response, the serialized body, and the error.
    typealias Handler = @Sendable (HTTPURLResponse?, Any?, (any Error)?) -> Void

    let task: SessionTask
    private let response: HTTPURLResponse?
    private let data: Data?
    /// Passed to the handler in place of the serialized body.
    private let file: URL?
    private let error: (any Error)?
    private let metrics: TaskMetrics?
    private let handler: Handler?

    /// - Parameter file: the location of the body, if it became a file.
    init(
        task: SessionTask, data response: DefaultDataResponse, file: URL?,
        handler: Handler?
    ) {
        (self.task, self.file, self.handler) = (task, file, handler)
        (self.response, data, error) = (response.response, response.data, response.error)
        metrics = response.metrics
    }

    init(
        task: SessionTask, download response: DefaultDownloadResponse, handler: Handler?
    ) {
        (self.task, self.handler) = (task, handler)
        (self.response, data, error) = (response.response, nil, response.error)
        file = response.destinationURL
        metrics = response.metrics
    }

    /// - Parameters:
    ///   - queue: where the handler runs if the settings have no queue.
    ///   - group: the group of the handler if the settings have none.
    func run(_ settings: AFSettings, _ queue: DispatchQueue, _ group: DispatchGroup) {
        let (queue, group) = (settings.completionQueue ?? queue, settings.completionGroup ?? group)
        let serializer = settings.serializer
        if let error {
            return queue.async(group: group) { tell(nil, error, serializer) }
        }
        // Bodies are serialized concurrently.
        DispatchQueue.global().async(group: group) {
            do {
                // The only reference is handed over, so it need not be Sendable; JSON's objects are not.
                nonisolated(unsafe) let object = try serializer.responseObject(for: response, data: data)
                queue.async(group: group) { unsafe tell(file ?? object, nil, serializer) }
            } catch {
                queue.async(group: group) { tell(file, error, serializer) }
            }
        }
    }

    private func tell(_ object: Any?, _ error: (any Error)?, _ serializer: any AFURLResponseSerialization) {
        handler?(response, object, error)
        var userInfo: [String: Any] = [Notification.Key.AFNetworkingTaskDidCompleteResponseSerializer: serializer]
        userInfo[Notification.Key.AFNetworkingTaskDidCompleteSerializedResponse] = object
        userInfo[Notification.Key.AFNetworkingTaskDidCompleteAssetPath] = file
        userInfo[Notification.Key.AFNetworkingTaskDidCompleteResponseData] = data
        userInfo[Notification.Key.AFNetworkingTaskDidCompleteError] = error
        userInfo[Notification.Key.AFNetworkingTaskDidCompleteSessionTaskMetrics] = metrics
        NotificationCenter.default.post(name: .AFNetworkingTaskDidComplete, object: task, userInfo: userInfo)
    }
}

/// The settings of a manager. A change applies to each task that ends after it.
struct AFSettings {
    var serializer: any AFURLResponseSerialization = AFJSONResponseSerializer()
    var completionQueue: DispatchQueue?
    var completionGroup: DispatchGroup?
    var securityPolicy = AFSecurityPolicy()
    var reachabilityManager = AFNetworkReachabilityManager.shared()
}
