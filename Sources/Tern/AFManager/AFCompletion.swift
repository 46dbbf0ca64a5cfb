// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

/// The end of one task: its body is serialized, its handler told, and then everybody else.
struct AFCompletion: Sendable {
    let task: SessionTask
    let response: DefaultDataResponse
    let handler: AFURLSessionManager.CompletionHandler?

    /// - Parameters:
    ///   - queue: where the handler runs unless the settings name a queue.
    ///   - group: what it is a member of unless the settings name a group.
    func run(_ settings: AFTaskBook.Settings, _ queue: DispatchQueue, _ group: DispatchGroup) {
        let (queue, group) = (settings.completionQueue ?? queue, settings.completionGroup ?? group)
        let serializer = settings.serializer
        if let error = response.error {
            return queue.async(group: group) { tell(nil, error, serializer) }
        }
        // Bodies are serialized beside each other.
        DispatchQueue.global().async(group: group) {
            do {
                // Made here, handed over, and nowhere else: it need not be Sendable, as JSON's objects are not.
                nonisolated(unsafe) let object = try serializer.responseObject(
                    for: response.response, data: response.data)
                queue.async(group: group) { unsafe tell(object, nil, serializer) }
            } catch {
                queue.async(group: group) { tell(nil, error, serializer) }
            }
        }
    }

    private func tell(_ object: Any?, _ error: (any Error)?, _ serializer: any AFURLResponseSerialization) {
        handler?(response.response, object, error)
        var userInfo: [String: Any] = [Notification.Key.AFNetworkingTaskDidCompleteResponseSerializer: serializer]
        userInfo[Notification.Key.AFNetworkingTaskDidCompleteSerializedResponse] = object
        userInfo[Notification.Key.AFNetworkingTaskDidCompleteResponseData] = response.data
        userInfo[Notification.Key.AFNetworkingTaskDidCompleteError] = error
        userInfo[Notification.Key.AFNetworkingTaskDidCompleteSessionTaskMetrics] = response.metrics
        NotificationCenter.default.post(name: .AFNetworkingTaskDidComplete, object: task, userInfo: userInfo)
    }
}
