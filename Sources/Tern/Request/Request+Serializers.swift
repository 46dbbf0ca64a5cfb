// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine

extension DataRequest {
    /// Returns the body unchanged; empty for 204 and 205.
    public static func dataResponseSerializer() -> DataResponseSerializer<Data> {
        DataResponseSerializer { _, response, data, error in ResponseSerialization.data(response, data, error) }
    }

    /// Returns the body as text; "" for 204 and 205.
    ///
    /// - Parameter encoding: nil uses the response's charset, or ISO-8859-1 if it has no known one.
    public static func stringResponseSerializer(encoding: String.Encoding? = nil) -> DataResponseSerializer<String> {
        DataResponseSerializer { _, response, data, error in
            ResponseSerialization.string(encoding, response, data, error)
        }
    }

    /// Returns the result of `JSONSerialization` for the body; `NSNull` for 204 and 205.
    public static func jsonResponseSerializer(
        options: JSONSerialization.ReadingOptions = .allowFragments
    ) -> DataResponseSerializer<Any> {
        DataResponseSerializer { _, response, data, error in
            ResponseSerialization.json(options, response, data, error)
        }
    }

    /// Returns the result of `PropertyListSerialization` for the body; `NSNull` for 204 and 205.
    public static func propertyListResponseSerializer(
        options: PropertyListSerialization.ReadOptions = []
    ) -> DataResponseSerializer<Any> {
        DataResponseSerializer { _, response, data, error in
            ResponseSerialization.propertyList(options, response, data, error)
        }
    }

    /// Returns the decoded body.
    public static func decodableResponseSerializer<Value: Decodable & SendableMetatype>(
        of type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
    ) -> DataResponseSerializer<Value> {
        DataResponseSerializer { _, _, data, error in ResponseSerialization.decodable(decoder, data, error) }
    }
}

extension DownloadRequest {
    /// Returns the content of the file; empty for 204 and 205.
    public static func dataResponseSerializer() -> DownloadResponseSerializer<Data> {
        serializer { response, data in ResponseSerialization.data(response, data, nil) }
    }

    /// Returns the file as text; "" for 204 and 205.
    ///
    /// - Parameter encoding: nil uses the response's charset, or ISO-8859-1 if it has no known one.
    public static func stringResponseSerializer(
        encoding: String.Encoding? = nil
    ) -> DownloadResponseSerializer<String> {
        serializer { response, data in ResponseSerialization.string(encoding, response, data, nil) }
    }

    /// Returns the result of `JSONSerialization` for the file; `NSNull` for 204 and 205.
    public static func jsonResponseSerializer(
        options: JSONSerialization.ReadingOptions = .allowFragments
    ) -> DownloadResponseSerializer<Any> {
        serializer { response, data in ResponseSerialization.json(options, response, data, nil) }
    }

    /// Returns the result of `PropertyListSerialization` for the file; `NSNull` for 204 and 205.
    public static func propertyListResponseSerializer(
        options: PropertyListSerialization.ReadOptions = []
    ) -> DownloadResponseSerializer<Any> {
        serializer { response, data in ResponseSerialization.propertyList(options, response, data, nil) }
    }

    /// Returns the decoded file.
    public static func decodableResponseSerializer<Value: Decodable & SendableMetatype>(
        of type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
    ) -> DownloadResponseSerializer<Value> {
        serializer { _, data in ResponseSerialization.decodable(decoder, data, nil) }
    }

    /// Returns the URL of the file.
    static func fileResponseSerializer() -> DownloadResponseSerializer<URL> {
        DownloadResponseSerializer { _, _, file, error in
            if let error { return .failure(error) }
            guard let file else { return .failure(AFError.responseSerializationFailed(reason: .inputFileNil)) }
            return .success(file)
        }
    }

    /// Reads the whole file first, unless there is an error already.
    private static func serializer<Value>(
        _ serialize: @escaping @Sendable (HTTPURLResponse?, Data) -> Result<Value, any Error>
    ) -> DownloadResponseSerializer<Value> {
        DownloadResponseSerializer { _, response, file, error in
            if let error { return .failure(error) }
            guard let file else { return .failure(AFError.responseSerializationFailed(reason: .inputFileNil)) }
            guard let data = try? Data(contentsOf: file) else {
                return .failure(AFError.responseSerializationFailed(reason: .inputFileReadFailed(at: file)))
            }
            return serialize(response, data)
        }
    }
}

// For serializers based on these.
extension Request {
    /// Returns the body unchanged; empty for 204 and 205.
    public static func serializeResponseData(
        response: HTTPURLResponse?, data: Data?, error: (any Error)?
    ) -> Result<Data, any Error> {
        ResponseSerialization.data(response, data, error)
    }

    /// Returns the body as text; "" for 204 and 205.
    ///
    /// - Parameters:
    ///   - encoding: nil uses the response's charset, or ISO-8859-1 if it has no known one.
    ///   - response: the head of the response.
    ///   - data: the body.
    ///   - error: an earlier error, which is then the result.
    public static func serializeResponseString(
        encoding: String.Encoding?, response: HTTPURLResponse?, data: Data?, error: (any Error)?
    ) -> Result<String, any Error> {
        ResponseSerialization.string(encoding, response, data, error)
    }

    /// Returns the result of `JSONSerialization` for the body; `NSNull` for 204 and 205.
    public static func serializeResponseJSON(
        options: JSONSerialization.ReadingOptions, response: HTTPURLResponse?, data: Data?, error: (any Error)?
    ) -> Result<Any, any Error> {
        ResponseSerialization.json(options, response, data, error)
    }

    /// Returns the result of `PropertyListSerialization` for the body; `NSNull` for 204 and 205.
    public static func serializeResponsePropertyList(
        options: PropertyListSerialization.ReadOptions, response: HTTPURLResponse?, data: Data?, error: (any Error)?
    ) -> Result<Any, any Error> {
        ResponseSerialization.propertyList(options, response, data, error)
    }
}
