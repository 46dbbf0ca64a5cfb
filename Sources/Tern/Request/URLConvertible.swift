// SPDX-License-Identifier: Apache-2.0
public import Foundation
import TernEngine

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
