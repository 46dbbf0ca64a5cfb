// SPDX-License-Identifier: Apache-2.0
import TernEngine

/// The result of a download, to be awaited: the view of a Swift task on the request that handlers are added to.
///
/// Awaits validation like any handler, then serializes in the awaiting task, off its actor. Cancelling the Swift task
/// cancels the download, whose ``DownloadResponse/resumeData`` resumes it later. Each access serializes again.
public struct DownloadSerialization<Value: Sendable>: Sendable {
    private let request: DownloadRequest
    private let serialize: @Sendable (Completion) -> DownloadResponse<Value>

    init<Serializer: DownloadResponseSerializerProtocol>(_ request: DownloadRequest, _ serializer: Serializer)
    where Serializer.SerializedObject == Value {
        self.request = request
        serialize = { DownloadResponse($0, serializer) }
    }

    /// The value; throws the error of ``DownloadResponse/error``.
    public var value: Value {
        get async throws { try await response.result.get() }
    }

    /// The value, or the error.
    public var result: Result<Value, any Error> {
        get async { await response.result }
    }

    /// The response, as a handler receives it.
    public var response: DownloadResponse<Value> {
        get async { await serializedResponse() }
    }

    @concurrent private func serializedResponse() async -> DownloadResponse<Value> {
        let completion = await withTaskCancellationHandler {
            await request.delegate.validatedCompletion()
        } onCancel: {
            request.cancelAwaited()
        }
        return serialize(completion)
    }
}
