// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine

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
