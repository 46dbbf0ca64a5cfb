// SPDX-License-Identifier: Apache-2.0
public import Foundation
import Tern
public import TernEngine

/// Decodes JSON to objects.
open class AFJSONResponseSerializer: AFHTTPResponseSerializer, @unchecked Sendable {
    /// The options of the decoder.
    public let readingOptions: JSONSerialization.ReadingOptions
    /// Whether keys whose value is `null` are omitted from objects.
    public let removesKeysWithNullValues: Bool

    /// Creates a serializer that decodes the JSON of every success.
    public init(
        readingOptions: JSONSerialization.ReadingOptions = [], removesKeysWithNullValues: Bool = false,
        acceptableStatusCodes: Set<Int>? = Set(200..<300),
        acceptableContentTypes: Set<String>? = ["application/json", "text/json", "text/javascript"]
    ) {
        self.readingOptions = readingOptions
        self.removesKeysWithNullValues = removesKeysWithNullValues
        super.init(acceptableStatusCodes: acceptableStatusCodes, acceptableContentTypes: acceptableContentTypes)
    }

    /// Returns the JSON object; nil for an empty body, or a single space, which Rails sends for an empty one.
    open override func responseObject(for response: HTTPURLResponse?, data: Data?) throws -> Any? {
        try validate(response, data: data)
        guard let data, !data.isEmpty, data != Data(" ".utf8) else { return nil }
        do {
            let object = try JSONSerialization.jsonObject(with: data, options: readingOptions)
            return removesKeysWithNullValues ? Self.withoutNulls(object) : object
        } catch {
            throw AFError.responseSerializationFailed(reason: .jsonSerializationFailed(error: error))
        }
    }

    private static func withoutNulls(_ object: Any) -> Any {
        switch object {
        case let object as [String: Any]: object.filter { !($0.value is NSNull) }.mapValues(withoutNulls)
        case let array as [Any]: array.map(withoutNulls)
        default: object
        }
    }
}
