// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// What can be taken for a URL.
@preconcurrency public protocol URLConvertible: Sendable {
    /// - Throws: `AFError.invalidURL` if it is none.
    func asURL() throws -> URL
}

extension String: URLConvertible {
    /// The URL this text spells by RFC 3986. Nothing is escaped on the way: a text with a space is no URL.
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
    /// The URL these components make.
    ///
    /// - Throws: `AFError.invalidURL` if they make none.
    public func asURL() throws -> URL {
        guard let url else { throw AFError.invalidURL(url: self) }
        return url
    }
}
