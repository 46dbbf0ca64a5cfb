// SPDX-License-Identifier: Apache-2.0
public import Foundation

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
