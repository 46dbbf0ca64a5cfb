// SPDX-License-Identifier: Apache-2.0
public import Foundation
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
        request.delegate.send()
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
        get async { await request.awaited(serialize) }
    }
}

extension DataRequest {
    /// Returns the response with the result of the serializer, to be awaited.
    public func serializingResponse<Serializer: DataResponseSerializerProtocol>(
        using serializer: Serializer
    ) -> DataSerialization<Serializer.SerializedObject> where Serializer.SerializedObject: Sendable {
        DataSerialization(self, serializer)
    }

    /// Returns the response with its body, to be awaited; see ``dataResponseSerializer()``.
    public func serializingData() -> DataSerialization<Data> {
        serializingResponse(using: Self.dataResponseSerializer())
    }

    /// Returns the response with its body as text, to be awaited; see ``stringResponseSerializer(encoding:)``.
    public func serializingString(encoding: String.Encoding? = nil) -> DataSerialization<String> {
        serializingResponse(using: Self.stringResponseSerializer(encoding: encoding))
    }

    /// Returns the response with its decoded body, to be awaited.
    public func serializingDecodable<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
    ) -> DataSerialization<Value> {
        serializingResponse(using: Self.decodableResponseSerializer(of: type, decoder: decoder))
    }
}

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
        request.delegate.send()
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
        get async { await request.awaited(serialize) }
    }
}

extension DownloadRequest {
    /// Returns the download with the result of the serializer, to be awaited.
    public func serializingDownload<Serializer: DownloadResponseSerializerProtocol>(
        using serializer: Serializer
    ) -> DownloadSerialization<Serializer.SerializedObject> where Serializer.SerializedObject: Sendable {
        DownloadSerialization(self, serializer)
    }

    /// Returns the URL of the file, to be awaited, without reading the file.
    public func serializingDownloadedFileURL() -> DownloadSerialization<URL> {
        serializingDownload(using: Self.fileResponseSerializer())
    }

    /// Returns the download with the content of its file, to be awaited; see ``dataResponseSerializer()``.
    public func serializingData() -> DownloadSerialization<Data> {
        serializingDownload(using: Self.dataResponseSerializer())
    }

    /// Returns the download with its file as text, to be awaited; see ``stringResponseSerializer(encoding:)``.
    public func serializingString(encoding: String.Encoding? = nil) -> DownloadSerialization<String> {
        serializingDownload(using: Self.stringResponseSerializer(encoding: encoding))
    }

    /// Returns the download with its decoded file, to be awaited.
    public func serializingDecodable<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
    ) -> DownloadSerialization<Value> {
        serializingDownload(using: Self.decodableResponseSerializer(of: type, decoder: decoder))
    }
}

extension Request {
    /// Waits for the end and the earlier handlers, and serializes off the caller's actor.
    @concurrent fileprivate func awaited<Response: Sendable>(
        _ serialize: @Sendable (Completion) -> Response
    ) async -> Response {
        let completion = await withTaskCancellationHandler {
            await delegate.validatedCompletion()
        } onCancel: {
            cancelAwaited()
        }
        return serialize(completion)
    }
}
