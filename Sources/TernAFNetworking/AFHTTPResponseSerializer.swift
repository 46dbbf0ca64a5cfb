// SPDX-License-Identifier: Apache-2.0
public import Foundation
import Tern
public import TernEngine

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
