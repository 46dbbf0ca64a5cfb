// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// `Encodable` parameters as JSON in the body.
public struct JSONParameterEncoder: ParameterEncoder {
    /// The encoder of the JSON.
    public let encoder: JSONEncoder

    /// Uses this encoder, which must not be changed afterwards.
    public init(encoder: JSONEncoder = JSONEncoder()) {
        self.encoder = encoder
    }

    /// Uses a default `JSONEncoder`.
    public static var `default`: JSONParameterEncoder { JSONParameterEncoder() }

    public func encode<Parameters: Encodable>(_ parameters: Parameters?, into request: URLRequest) throws -> URLRequest
    {
        guard let parameters else { return request }
        var request = request
        do {
            request.setBody(try encoder.encode(parameters), contentType: "application/json")
        } catch {
            throw AFError.parameterEncodingFailed(reason: .jsonEncodingFailed(error: error))
        }
        return request
    }
}
