// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernURLSessionNames

/// Creates a response that is not of HTTP, and has what it is made with: `response as? HTTPURLResponse` is nil.
///
/// - Parameters:
///   - url: the URL of the response.
///   - mimeType: the media type.
///   - expectedContentLength: the length in bytes; negative if it is unknown.
///   - textEncodingName: the name of the charset.
// A function, because a protocol has no initialisers that are called by its name; in this module, because one that declares the
// protocol has no room for a function of that name.
// swift-format-ignore: AlwaysUseLowerCamelCase
public func URLResponse(
    url: URL, mimeType: String?, expectedContentLength: Int, textEncodingName: String?
) -> any TernURLSessionNames.URLResponse {
    PlainURLResponse(
        url: url, mimeType: mimeType, expectedContentLength: expectedContentLength, textEncodingName: textEncodingName)
}
