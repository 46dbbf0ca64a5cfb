// SPDX-License-Identifier: Apache-2.0
import Foundation
import TernFoundation

/// Parameters as `application/x-www-form-urlencoded`, in the URL's query or in the body.
///
/// Keys are in alphabetical order. There is no standard for collections; these are Alamofire's: an array is
/// `key[]=1&key[]=2`, a dictionary `key[inner]=value`, a boolean 1 or 0, unless another format is chosen. A whole
/// number has no decimal point, whatever its type: 1.0 is `1`.
public struct URLEncoding: ParameterEncoding, Sendable {
    /// Where the parameters go.
    public enum Destination: Sendable {
        /// The query for GET, HEAD and DELETE, otherwise the body.
        case methodDependent
        /// Appends the parameters to the query.
        case queryString
        /// Into the body.
        case httpBody
    }

    /// Where this encoding puts parameters.
    public let destination: Destination

    /// How the key of an array is written.
    public let arrayEncoding: ArrayEncoding
    /// How a boolean is written.
    public let boolEncoding: BoolEncoding

    /// Creates an encoding with this destination and format.
    public init(
        destination: Destination = .methodDependent, arrayEncoding: ArrayEncoding = .brackets,
        boolEncoding: BoolEncoding = .numeric
    ) {
        self.destination = destination
        self.arrayEncoding = arrayEncoding
        self.boolEncoding = boolEncoding
    }

    /// `methodDependent`
    public static var `default`: URLEncoding { URLEncoding() }
    /// Encodes into the query for GET, HEAD and DELETE, otherwise into the body.
    public static var methodDependent: URLEncoding { URLEncoding() }
    /// Encodes into the query.
    public static var queryString: URLEncoding { URLEncoding(destination: .queryString) }
    /// Encodes into the body.
    public static var httpBody: URLEncoding { URLEncoding(destination: .httpBody) }

    /// Returns the request with the parameters in its query or body; unchanged if they are nil.
    ///
    /// - Throws: `AFError.parameterEncodingFailed` if there is no URL, or the error of `asURLRequest()`.
    public func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws -> URLRequest {
        var request = try urlRequest.asURLRequest()
        guard let parameters else { return request }
        if encodesIntoURL(HTTPMethod(rawValue: request.httpMethod ?? "GET")) {
            guard let url = request.url else { throw AFError.parameterEncodingFailed(reason: .missingURL) }
            if !parameters.isEmpty { request.url = try Self.url(url, appending: query(parameters)) }
        } else {
            request.setContent(
                .data(Data(query(parameters).utf8)), type: "application/x-www-form-urlencoded; charset=utf-8")
        }
        return request
    }

    /// The escaped pairs of a key and its value.
    public func queryComponents(fromKey key: String, value: Any) -> [(String, String)] {
        if let dictionary = value as? [String: Any] {
            return dictionary.sorted { $0.key < $1.key }
                .flatMap { queryComponents(fromKey: "\(key)[\($0.key)]", value: $0.value) }
        }
        if let array = value as? [Any] {
            return array.flatMap { queryComponents(fromKey: arrayEncoding.encode(key: key), value: $0) }
        }
        return [(escape(key), escape(text(of: value)))]
    }

    /// The text, percent-encoded for a query component: all bytes except RFC 3986's unreserved characters, and `/` and
    /// `?`, which its §3.4 allows there.
    public func escape(_ string: String) -> String {
        if string.utf8.allSatisfy(Self.isLiteral) { return string }
        var escaped: [UInt8] = []
        escaped.reserveCapacity(string.utf8.count * 2)
        for byte in string.utf8 {
            if Self.isLiteral(byte) {
                escaped.append(byte)
            } else {
                escaped += [UInt8(ascii: "%"), Self.hexDigit(byte >> 4), Self.hexDigit(byte & 15)]
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    private func encodesIntoURL(_ method: HTTPMethod) -> Bool {
        switch destination {
        case .queryString: true
        case .httpBody: false
        case .methodDependent: method == .get || method == .head || method == .delete
        }
    }

    private func query(_ parameters: Parameters) -> String {
        parameters.sorted { $0.key < $1.key }
            .flatMap { queryComponents(fromKey: $0.key, value: $0.value) }
            .map { "\($0.0)=\($0.1)" }
            .joined(separator: "&")
    }

    private static func url(_ url: URL, appending query: String) throws -> URL {
        let text = url.absoluteString
        let fragment = text.firstIndex(of: "#") ?? text.endIndex
        let base = text[..<fragment]
        let whole = base + (base.contains("?") ? "&" : "?") + query + text[fragment...]
        return try String(whole).asURL()
    }

    /// Formats numbers as Alamofire and NSNumber do: a whole one has no decimal point.
    private static func spelled(_ value: Any) -> String {
        let text = String(describingValue: value)
        guard text.hasSuffix(".0"), value is Double || value is Float || value is CGFloat else { return text }
        return String(text.dropLast(2))
    }

    /// Swift's numbers and Bool bridge to NSNumber; only Bool has the Objective-C type "c".
    private func text(of value: Any) -> String {
        guard let number = value as? NSNumber, unsafe number.objCType.pointee == CChar(UInt8(ascii: "c")) else {
            return Self.spelled(value)
        }
        return boolEncoding.encode(value: number.boolValue)
    }

    private static func isLiteral(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"), UInt8(ascii: "/"), UInt8(ascii: "?"):
            true
        default: false
        }
    }

    private static func hexDigit(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "A") + nibble - 10
    }
}

extension URLEncoding {
    /// How the key of an array is written.
    public enum ArrayEncoding: Sendable {
        /// `key[]=1&key[]=2`
        case brackets
        /// `key=1&key=2`
        case noBrackets

        func encode(key: String) -> String {
            switch self {
            case .brackets: "\(key)[]"
            case .noBrackets: key
            }
        }
    }

    /// How a boolean is written.
    public enum BoolEncoding: Sendable {
        /// `1` or `0`
        case numeric
        /// `true` or `false`
        case literal

        func encode(value: Bool) -> String {
            switch self {
            case .numeric: value ? "1" : "0"
            case .literal: value ? "true" : "false"
            }
        }
    }
}
