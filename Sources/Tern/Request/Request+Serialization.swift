// SPDX-License-Identifier: Apache-2.0
public import Foundation
public import TernEngine

// For serializers that begin where these end.
extension Request {
    /// The body as it came; empty for 204 and 205.
    public static func serializeResponseData(
        response: HTTPURLResponse?, data: Data?, error: (any Error)?
    ) -> Result<Data, any Error> {
        ResponseSerialization.data(response, data, error)
    }

    /// The body as text; "" for 204 and 205.
    ///
    /// - Parameters:
    ///   - encoding: nil takes the response's charset, or ISO-8859-1 if it names none that is known.
    ///   - response: the head of the response.
    ///   - data: the body.
    ///   - error: what went wrong before, which is the result then.
    public static func serializeResponseString(
        encoding: String.Encoding?, response: HTTPURLResponse?, data: Data?, error: (any Error)?
    ) -> Result<String, any Error> {
        ResponseSerialization.string(encoding, response, data, error)
    }

    /// What `JSONSerialization` makes of the body; `NSNull` for 204 and 205.
    public static func serializeResponseJSON(
        options: JSONSerialization.ReadingOptions, response: HTTPURLResponse?, data: Data?, error: (any Error)?
    ) -> Result<Any, any Error> {
        ResponseSerialization.json(options, response, data, error)
    }

    /// What `PropertyListSerialization` makes of the body; `NSNull` for 204 and 205.
    public static func serializeResponsePropertyList(
        options: PropertyListSerialization.ReadOptions, response: HTTPURLResponse?, data: Data?, error: (any Error)?
    ) -> Result<Any, any Error> {
        ResponseSerialization.propertyList(options, response, data, error)
    }
}
