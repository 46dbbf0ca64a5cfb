// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernEngine

/// What is known of a request that has ended and been validated.
struct Completion: Sendable {
    let request: URLRequest?
    let response: HTTPURLResponse?
    var data: Data?
    var error: (any Error)?
    var metrics: TaskMetrics?
}

extension DataResponse {
    /// Serializes.
    init<Serializer: DataResponseSerializerProtocol>(_ completion: Completion, _ serializer: Serializer)
    where Serializer.SerializedObject == Value {
        let result = serializer.serializeResponse(
            completion.request, completion.response, completion.data, completion.error)
        self.init(
            request: completion.request, response: completion.response, data: completion.data, result: result,
            timeline: Timeline(completion.metrics), metrics: completion.metrics)
    }
}

extension DefaultDataResponse {
    init(_ completion: Completion) {
        self.init(
            request: completion.request, response: completion.response, data: completion.data, error: completion.error,
            timeline: Timeline(completion.metrics), metrics: completion.metrics)
    }
}
