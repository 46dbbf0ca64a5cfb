// SPDX-License-Identifier: Apache-2.0
public import Foundation
import TernEngine

/// Parameters of a request: text, numbers, booleans, and arrays and dictionaries of them.
public typealias Parameters = [String: Any]

/// Encodes parameters into a request.
public protocol ParameterEncoding {
    /// Returns the request with the parameters; unchanged if they are nil. An existing Content-Type is kept.
    ///
    /// - Throws: `AFError.parameterEncodingFailed`, or the error of `asURLRequest()`.
    func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest
}

/// Parameters as a JSON object in the body.
public struct JSONEncoding: ParameterEncoding, Sendable {
    /// Why a value is not representable in JSON.
    public enum Error: Swift.Error, Sendable {
        /// It is, or contains, a value without a JSON form: a date, a NaN, a key that is not a string.
        case invalidJSONObject
    }

    /// The options of the output, such as `.sortedKeys`.
    public let options: JSONSerialization.WritingOptions

    /// Creates an encoding with these options.
    public init(options: JSONSerialization.WritingOptions = []) {
        self.options = options
    }

    /// Compact.
    public static var `default`: JSONEncoding { JSONEncoding() }
    /// On several lines, indented.
    public static var prettyPrinted: JSONEncoding { JSONEncoding(options: .prettyPrinted) }

    /// Returns the request with the parameters as its body; unchanged if they are nil.
    ///
    /// - Throws: `AFError.parameterEncodingFailed`, or the error of `asURLRequest()`.
    public func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
        try encode(urlRequest, withJSONObject: parameters)
    }

    /// Returns the request with an array or dictionary as its body; unchanged if that is nil.
    ///
    /// - Throws: `AFError.parameterEncodingFailed`, or the error of `asURLRequest()`.
    public func encode(_ urlRequest: any URLRequestConvertible, withJSONObject jsonObject: Any? = nil) throws
        -> URLRequest
    {
        var request = try urlRequest.asURLRequest()
        guard let jsonObject else { return request }
        request.setContent(.data(try body(jsonObject)), type: "application/json")
        return request
    }

    private func body(_ object: Any) throws -> Data {
        do {
            // JSONSerialization traps on values that this check refuses.
            guard JSONSerialization.isValidJSONObject(object) else { throw Error.invalidJSONObject }
            return try JSONSerialization.data(withJSONObject: object, options: options)
        } catch {
            throw AFError.parameterEncodingFailed(reason: .jsonEncodingFailed(error: error))
        }
    }
}

/// Parameters as a property list in the body.
public struct PropertyListEncoding: ParameterEncoding, Sendable {
    /// The format, XML or binary. OpenStep's format is refused: it can no longer be written.
    public let format: PropertyListSerialization.PropertyListFormat
    /// The options; Foundation has none yet.
    public let options: PropertyListSerialization.WriteOptions

    /// An encoding in this format.
    public init(
        format: PropertyListSerialization.PropertyListFormat = .xml,
        options: PropertyListSerialization.WriteOptions = 0
    ) {
        self.format = format
        self.options = options
    }

    /// In XML.
    public static var `default`: PropertyListEncoding { PropertyListEncoding() }
    /// In XML.
    public static var xml: PropertyListEncoding { PropertyListEncoding(format: .xml) }
    /// In Apple's binary format.
    public static var binary: PropertyListEncoding { PropertyListEncoding(format: .binary) }

    /// Returns the request with the parameters as its body; unchanged if they are nil.
    ///
    /// - Throws: `AFError.parameterEncodingFailed`, or the error of `asURLRequest()`.
    public func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
        var request = try urlRequest.asURLRequest()
        guard let parameters else { return request }
        request.setContent(.data(try body(parameters)), type: "application/x-plist")
        return request
    }

    private func body(_ parameters: Parameters) throws -> Data {
        do {
            // Foundation reads the OpenStep format, and traps on writing it.
            if format == .openStep { throw CocoaError(.propertyListWriteInvalid) }
            return try PropertyListSerialization.data(fromPropertyList: parameters, format: format, options: options)
        } catch {
            throw AFError.parameterEncodingFailed(reason: .propertyListEncodingFailed(error: error))
        }
    }
}
