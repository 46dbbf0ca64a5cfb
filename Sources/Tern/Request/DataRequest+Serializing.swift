// SPDX-License-Identifier: Apache-2.0
public import Foundation

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
