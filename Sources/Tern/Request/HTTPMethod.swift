// SPDX-License-Identifier: Apache-2.0

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
