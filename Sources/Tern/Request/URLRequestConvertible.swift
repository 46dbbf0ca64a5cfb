// SPDX-License-Identifier: Apache-2.0

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
