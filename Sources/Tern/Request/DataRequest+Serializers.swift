// SPDX-License-Identifier: Apache-2.0
public import Foundation

extension DataRequest {
    /// The body as it came; empty for 204 and 205.
    public static func dataResponseSerializer() -> DataResponseSerializer<Data> {
        DataResponseSerializer { _, response, data, error in ResponseSerialization.data(response, data, error) }
    }

    /// The body as text; "" for 204 and 205.
    ///
    /// - Parameter encoding: nil takes the response's charset, or ISO-8859-1 if it names none that is known.
    public static func stringResponseSerializer(encoding: String.Encoding? = nil) -> DataResponseSerializer<String> {
        DataResponseSerializer { _, response, data, error in
            ResponseSerialization.string(encoding, response, data, error)
        }
    }

    /// What `JSONSerialization` makes of the body; `NSNull` for 204 and 205.
    public static func jsonResponseSerializer(
        options: JSONSerialization.ReadingOptions = .allowFragments
    ) -> DataResponseSerializer<Any> {
        DataResponseSerializer { _, response, data, error in
            ResponseSerialization.json(options, response, data, error)
        }
    }

    /// What `PropertyListSerialization` makes of the body; `NSNull` for 204 and 205.
    public static func propertyListResponseSerializer(
        options: PropertyListSerialization.ReadOptions = []
    ) -> DataResponseSerializer<Any> {
        DataResponseSerializer { _, response, data, error in
            ResponseSerialization.propertyList(options, response, data, error)
        }
    }

    /// What the decoder makes of the body.
    public static func decodableResponseSerializer<Value: Decodable & SendableMetatype>(
        of type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder()
    ) -> DataResponseSerializer<Value> {
        DataResponseSerializer { _, _, data, error in ResponseSerialization.decodable(decoder, data, error) }
    }
}
