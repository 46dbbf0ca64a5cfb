// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// `Encodable` parameters as JSON in the body.
public struct JSONParameterEncoder: ParameterEncoder {
    /// Writes the JSON.
    public let encoder: JSONEncoder

    /// Writes with this encoder, which is not to be changed afterwards.
    public init(encoder: JSONEncoder = JSONEncoder()) {
        self.encoder = encoder
    }

    /// As `JSONEncoder` writes by itself.
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
