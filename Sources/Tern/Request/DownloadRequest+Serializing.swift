// SPDX-License-Identifier: Apache-2.0
public import Foundation

extension DownloadRequest {
    /// The download with what the serializer makes of its file, to be awaited.
    public func serializingDownload<Serializer: DownloadResponseSerializerProtocol>(
        using serializer: Serializer
    ) -> DownloadSerialization<Serializer.SerializedObject> where Serializer.SerializedObject: Sendable {
        DownloadSerialization(self, serializer)
    }

    /// Where the file is, to be awaited; nothing of it is read.
    public func serializingDownloadedFileURL() -> DownloadSerialization<URL> {
        serializingDownload(using: Self.fileResponseSerializer())
    }

    /// The download with the content of its file, to be awaited; see ``dataResponseSerializer()``.
    public func serializingData() -> DownloadSerialization<Data> {
        serializingDownload(using: Self.dataResponseSerializer())
    }

    /// The download with its file as text, to be awaited; see ``stringResponseSerializer(encoding:)``.
    public func serializingString(encoding: String.Encoding? = nil) -> DownloadSerialization<String> {
        serializingDownload(using: Self.stringResponseSerializer(encoding: encoding))
    }

    /// The download with what the decoder makes of its file, to be awaited.
    public func serializingDecodable<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
    ) -> DownloadSerialization<Value> {
        serializingDownload(using: Self.decodableResponseSerializer(of: type, decoder: decoder))
    }
}
