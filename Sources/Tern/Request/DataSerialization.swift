// SPDX-License-Identifier: Apache-2.0
import TernEngine

/// The response of a request, to be awaited: the view of a Swift task on the request that handlers are added to.
///
/// Awaits validation like any handler, then serializes in the awaiting task, off its actor. Cancelling the Swift task
/// cancels the request. Each access serializes again.
public struct DataSerialization<Value: Sendable>: Sendable {
    private let request: DataRequest
    private let serialize: @Sendable (Completion) -> DataResponse<Value>

    init<Serializer: DataResponseSerializerProtocol>(_ request: DataRequest, _ serializer: Serializer)
    where Serializer.SerializedObject == Value {
        self.request = request
        serialize = { DataResponse($0, serializer) }
    }

    /// The value; throws the error of ``DataResponse/error``.
    public var value: Value {
        get async throws { try await response.result.get() }
    }

    /// The value, or the error.
    public var result: Result<Value, any Error> {
        get async { await response.result }
    }

    /// The response, as a handler receives it.
    public var response: DataResponse<Value> {
        get async { await serializedResponse() }
    }

    @concurrent private func serializedResponse() async -> DataResponse<Value> {
        let completion = await withTaskCancellationHandler {
            await request.delegate.validatedCompletion()
        } onCancel: {
            request.cancelAwaited()
        }
        return serialize(completion)
    }
}
