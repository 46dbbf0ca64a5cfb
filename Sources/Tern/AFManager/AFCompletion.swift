// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

/// The end of one task: its body is serialized, its handler told, and then everybody else.
struct AFCompletion: Sendable {
    /// Is called with the response, with what was made of its body, and with the error.
    typealias Handler = @Sendable (HTTPURLResponse?, Any?, (any Error)?) -> Void

    let task: SessionTask
    private let response: HTTPURLResponse?
    private let data: Data?
    /// What the handler gets in place of what the serializer makes.
    private let file: URL?
    private let error: (any Error)?
    private let metrics: TaskMetrics?
    private let handler: Handler?

    /// - Parameter file: where the body is, if it was wanted as a file.
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
    ///   - queue: where the handler runs unless the settings name a queue.
    ///   - group: what it is a member of unless the settings name a group.
    func run(_ settings: AFTaskBook.Settings, _ queue: DispatchQueue, _ group: DispatchGroup) {
        let (queue, group) = (settings.completionQueue ?? queue, settings.completionGroup ?? group)
        let serializer = settings.serializer
        if let error {
            return queue.async(group: group) { tell(nil, error, serializer) }
        }
        // Bodies are serialized beside each other.
        DispatchQueue.global().async(group: group) {
            do {
                // Made here, handed over, and nowhere else: it need not be Sendable, as JSON's objects are not.
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
