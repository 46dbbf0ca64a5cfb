// SPDX-License-Identifier: Apache-2.0
public import Foundation

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
        request.setBody(try body(parameters), contentType: "application/x-plist")
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
