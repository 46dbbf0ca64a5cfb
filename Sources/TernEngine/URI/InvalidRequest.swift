// SPDX-License-Identifier: Apache-2.0
public import TernHTTP1
public import TernIO
import TernSystem

/// What is wrong with a request that was not sent.
public enum InvalidRequest: Error, Sendable, Hashable, CustomStringConvertible {
    /// The request has no URL.
    case missingURL
    /// The text has a scheme and a host, but is not a URL (RFC 3986 §3).
    case malformedURL(String)
    /// The URL has no scheme, or one other than `http` and `https`.
    case unsupportedScheme(String)
    /// The URL has no host, or one that is neither a DNS name in A-label form nor an IP literal (RFC 3986 §3.2.2).
    case invalidHost(String)
    /// The port is not a number from 1 to 65535.
    case invalidPort(String)
    /// The URL has more than one "@" in front of its path: readers differ in what is the host (RFC 3986 §3.2.1).
    case ambiguousUserinfo
    /// The method, target or a header field is invalid (RFC 9110 §5.5, RFC 9112 §3).
    case unencodable(HTTPProtocolError)
    /// The file with its content cannot be sent.
    case unreadableContent(UnreadableContent)
    /// An upload of URLSession's shape has no method, and GET takes no content.
    case contentWithoutMethod

    /// Why a file cannot be sent.
    public enum UnreadableContent: Sendable, Hashable {
        /// It cannot be opened.
        case unreadable(SystemCallError, path: String)
        /// It has no length, such as a directory or a pipe: use a stream instead.
        case noRegularFile(path: String)
    }

    public var description: String {
        switch self {
        case .missingURL: "it has no URL"
        case .unsupportedScheme(let scheme):
            scheme.isEmpty ? "the URL has no scheme" : "the scheme \"\(scheme.excerpt)\" is not http or https"
        case .malformedURL(let url): "\"\(SensitiveFields.withoutUserinfo(url).excerpt)\" is not a URL"
        case .invalidHost(""): "the URL has no host"
        case .invalidHost(let host): "\"\(host.excerpt)\" is not a host name" + Self.flaw(of: host)
        case .invalidPort(let port): "\"\(port.excerpt)\" is not a port from 1 to 65535"
        case .ambiguousUserinfo:
            "the URL has more than one \"@\" before its path: one in a name or a password is written as %40"
        case .unencodable(let error): "\(error)"
        case .contentWithoutMethod: "it has content to upload, and no method"
        case .unreadableContent(.unreadable(let error, let path)):
            "its content cannot be read from \(path.excerpt): \(error)"
        case .unreadableContent(.noRegularFile(let path)): "its content, \(path.excerpt), is no regular file"
        }
    }

    /// A hint at an invisible cause, or at the required form.
    private static func flaw(of host: String) -> String {
        if host.first == "[", !host.contains("]") { return ": a bracket is not closed" }
        if host.utf8.contains(UInt8(ascii: " ")) { return ": it has a space in it" }
        if let last = host.split(separator: ".").last, last.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return ": its last label is a number, as in an address"
        }
        if host.utf8.allSatisfy({ $0 < 0x80 }) { return "" }
        if InternationalizedNames.system == nil {
            return ": names beyond ASCII need libidn2, which is not installed; or spell it as xn--…"
        }
        return ": names beyond ASCII are spelled as xn--…"
    }
}
