// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// A value that can be converted to a URL.
@preconcurrency public protocol URLConvertible: Sendable {
    /// - Throws: `AFError.invalidURL` if it cannot.
    func asURL() throws -> URL
}

extension String: URLConvertible {
    /// The URL in this text by RFC 3986. Nothing is escaped: a text with a space is not a URL.
    public func asURL() throws -> URL {
        guard let url = URL(string: self, encodingInvalidCharacters: false) else { throw AFError.invalidURL(url: self) }
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
