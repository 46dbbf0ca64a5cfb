// SPDX-License-Identifier: Apache-2.0
public import Foundation

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
