// SPDX-License-Identifier: Apache-2.0
public import Foundation
import Tern
public import TernEngine

/// Serializes a response's body for an ``AFURLSessionManager``.
public protocol AFURLResponseSerialization: Sendable {
    /// Returns the serialized body; nil for an empty one.
    ///
    /// - Throws: the error of the task.
    func responseObject(for response: HTTPURLResponse?, data: Data?) throws -> Any?
}

/// Validates the status and the type of a response, and returns the body unchanged.
open class AFHTTPResponseSerializer: AFURLResponseSerialization, @unchecked Sendable {
    // Sendable because it does not change; a subclass must keep that.

    /// The acceptable status codes; nil accepts any.
    public let acceptableStatusCodes: Set<Int>?
    /// The acceptable media types; nil accepts any.
    public let acceptableContentTypes: Set<String>?

    /// Creates a serializer that accepts these; by default every success of any type.
    public init(acceptableStatusCodes: Set<Int>? = Set(200..<300), acceptableContentTypes: Set<String>? = nil) {
        self.acceptableStatusCodes = acceptableStatusCodes
        self.acceptableContentTypes = acceptableContentTypes
    }

    /// Validates a response. Without a body its type is ignored; without a response there is no error.
    ///
    /// - Throws: `AFError.responseValidationFailed`.
    open func validate(_ response: HTTPURLResponse?, data: Data?) throws {
        guard let response else { return }
        if let acceptableContentTypes, data?.isEmpty == false {
            let types = acceptableContentTypes.sorted()
            guard let type = response.mimeType else {
                throw AFError.responseValidationFailed(reason: .missingContentType(acceptableContentTypes: types))
            }
            guard acceptableContentTypes.contains(type.lowercased()) else {
                throw AFError.responseValidationFailed(
                    reason: .unacceptableContentType(acceptableContentTypes: types, responseContentType: type))
            }
        }
        if let acceptableStatusCodes, !acceptableStatusCodes.contains(response.statusCode) {
            throw AFError.responseValidationFailed(reason: .unacceptableStatusCode(code: response.statusCode))
        }
    }

    /// The body.
    open func responseObject(for response: HTTPURLResponse?, data: Data?) throws -> Any? {
        try validate(response, data: data)
        return data
    }
}

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
