// SPDX-License-Identifier: Apache-2.0
public import Foundation
import TernEngine

/// A value that can be converted to a request.
@preconcurrency public protocol URLRequestConvertible: Sendable {
    /// - Throws: the error of the response.
    func asURLRequest() throws -> URLRequest
}

extension URLRequestConvertible {
    /// The request, or nil if there is none.
    public var urlRequest: URLRequest? { try? asURLRequest() }
}

extension URLRequest: URLRequestConvertible {
    /// Itself.
    public func asURLRequest() throws -> URLRequest { self }
}

extension URLRequest {
    /// A request with these header fields, in alphabetical order.
    ///
    /// - Throws: `AFError.invalidURL`.
    public init(url: any URLConvertible, method: HTTPMethod, headers: HTTPHeaders? = nil) throws {
        self.init(url: try url.asURL())
        httpMethod = method.rawValue
        if let headers { allHTTPHeaderFields = headers }
    }
}

/// A value that can be converted to a URL.
@preconcurrency public protocol URLConvertible: Sendable {
    /// - Throws: `AFError.invalidURL` if it cannot.
    func asURL() throws -> URL
}

extension String: URLConvertible {
    /// The URL in this text, as `URLRequest(string:)` reads it: escapes stay, characters that RFC 3986 does not allow are
    /// percent-encoded, and a host beyond ASCII becomes `xn--…`. A text without a scheme is not repaired.
    public func asURL() throws -> URL {
        guard let url = URL(escaping: self) else { throw AFError.invalidURL(url: self) }
        return url
    }
}

extension URL: URLConvertible {
    /// Itself.
    public func asURL() throws -> URL { self }
}

extension URLComponents: URLConvertible {
    /// The URL of these components.
    ///
    /// - Throws: `AFError.invalidURL` if they do not form one.
    public func asURL() throws -> URL {
        guard let url else { throw AFError.invalidURL(url: self) }
        return url
    }
}

/// A request method (RFC 9110 §9). Any token is valid: `HTTPMethod(rawValue: "PURGE")`. Case matters.
public struct HTTPMethod: RawRepresentable, Sendable, Hashable {
    /// The method as it is sent.
    public let rawValue: String

    /// Creates a method of that name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// RFC 9110 §9.3.7
    public static let options = HTTPMethod(rawValue: "OPTIONS")
    /// RFC 9110 §9.3.1
    public static let get = HTTPMethod(rawValue: "GET")
    /// RFC 9110 §9.3.2
    public static let head = HTTPMethod(rawValue: "HEAD")
    /// RFC 9110 §9.3.3
    public static let post = HTTPMethod(rawValue: "POST")
    /// RFC 9110 §9.3.4
    public static let put = HTTPMethod(rawValue: "PUT")
    /// RFC 5789
    public static let patch = HTTPMethod(rawValue: "PATCH")
    /// RFC 9110 §9.3.5
    public static let delete = HTTPMethod(rawValue: "DELETE")
    /// RFC 9110 §9.3.8
    public static let trace = HTTPMethod(rawValue: "TRACE")
    /// RFC 9110 §9.3.6
    public static let connect = HTTPMethod(rawValue: "CONNECT")
}

/// Header fields of a request by name. For repeats and order, set `URLRequest.headers`.
public typealias HTTPHeaders = [String: String]
