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

/// A media type or a range of them (RFC 9110 §8.3.1, §12.5.1): `text/html; charset=utf-8`, `image/*`. Case is ignored.
struct MediaType: Hashable {
    let type: String
    let subtype: String
    /// The value of the `charset` parameter, in lower case and without quotes.
    let charset: String?

    /// The maximum length of a text, in bytes: a server chooses it.
    private static let maximumLength = 1024

    /// Nil unless the text is `type/subtype`, with or without parameters, and at most 1,024 bytes long.
    init?(_ text: String) {
        if text.utf8.count > Self.maximumLength { return nil }
        let parts = text.lowercased().split(separator: ";").map(Self.trimmed)
        guard let names = parts.first?.split(separator: "/", omittingEmptySubsequences: false), names.count == 2,
            !names[0].isEmpty, !names[1].isEmpty
        else { return nil }
        type = String(names[0])
        subtype = String(names[1])
        charset = parts.dropFirst().lazy.compactMap(Self.charset).first
    }

    /// `*/*`
    var matchesEverything: Bool { type == "*" && subtype == "*" }

    func matches(_ other: MediaType) -> Bool {
        (type == "*" || type == other.type) && (subtype == "*" || subtype == other.subtype)
    }

    private static func charset(_ parameter: Substring) -> String? {
        guard parameter.hasPrefix("charset=") else { return nil }
        return parameter.dropFirst("charset=".count).filter { $0 != "\"" && $0 != "'" }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
