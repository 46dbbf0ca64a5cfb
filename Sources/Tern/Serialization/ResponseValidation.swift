// SPDX-License-Identifier: Apache-2.0
import TernEngine

/// The rules of this module's validations. Each returns an error, or nil.
enum ResponseValidation {
    static func check(_ status: Int, by acceptable: some Sequence<Int>) -> (any Error)? {
        if acceptable.contains(status) { return nil }
        return failure(.unacceptableStatusCode(code: status))
    }

    /// The type of a body that is not empty.
    static func check(_ response: HTTPURLResponse, by acceptable: [String]) -> (any Error)? {
        let ranges = acceptable.lazy.compactMap { MediaType($0) }
        guard let text = response.mimeType, let type = MediaType(text) else {
            if ranges.contains(where: \.matchesEverything) { return nil }
            return failure(.missingContentType(acceptableContentTypes: acceptable))
        }
        if ranges.contains(where: { $0.matches(type) }) { return nil }
        return failure(.unacceptableContentType(acceptableContentTypes: acceptable, responseContentType: text))
    }

    /// The media types in the request's Accept field; nil without one.
    static func acceptableTypes(of request: URLRequest?) -> [String]? {
        request?.value(forHTTPHeaderField: "Accept")?.split(separator: ",").map(String.init)
    }

    static func failure(_ reason: AFError.ResponseValidationFailureReason) -> any Error {
        AFError.responseValidationFailed(reason: reason)
    }
}
