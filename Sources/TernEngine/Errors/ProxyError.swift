// SPDX-License-Identifier: Apache-2.0
public import TernHTTP1

/// Why a proxy opened no tunnel.
public enum ProxyError: Error, Sendable {
    /// An HTTP proxy answered CONNECT with another status than 2xx.
    case refused(ProxyRefusal)
    /// The answer to CONNECT violates HTTP/1.1.
    case malformedResponse(HTTPProtocolError)
    /// A SOCKS proxy refused, with this code (RFC 1928 §6, or that of SOCKS 4).
    case refusedBySOCKS(version: Int, code: UInt8)
    /// The answer of a SOCKS proxy breaks this rule.
    case malformedSOCKS(SOCKSRule)
    /// A SOCKS proxy accepts none of the authentication methods that the client has: none, and a name with a password if
    /// the proxy has a credential.
    case noAuthenticationMethod
    /// A SOCKS proxy refused the name and the password.
    case credentialRefused
    /// The name, the password, the host or a field cannot be expressed in the protocol of the proxy.
    case unsendable(String)
    /// The proxy sent bytes behind its answer, before the client had sent any (RFC 9110 §9.3.6).
    case unexpectedBytes
    /// The proxy closed the connection before it had answered.
    case closed

    /// A rule of SOCKS that an answer can break.
    public enum SOCKSRule: String, Sendable, Hashable {
        /// The first byte of an answer.
        case version = "version"
        /// The reserved byte.
        case reserved = "reserved byte"
        /// The type of the address.
        case addressType = "address type"
        /// The method is none of those that were offered.
        case method = "method"
    }
}

/// The answer of an HTTP proxy to CONNECT.
public struct ProxyRefusal: Sendable {
    /// Its status and fields.
    public let head: ResponseHead
    /// Its content, as far as it arrived, and at most the first 64 KB.
    public let body: [UInt8]

    /// Its status code.
    public var status: Int { head.status }
}

extension ProxyError {
    /// Whether the same may succeed later.
    var isTemporary: Bool {
        switch self {
        case .refused(let refusal): RetryPolicy.standardStatusCodes.contains(refusal.status)
        // It has failed, or has not reached the host (RFC 1928 §6).
        case .refusedBySOCKS(5, let code): code == 1 || (3...6).contains(code)
        case .refusedBySOCKS(_, let code): code == 91
        case .closed: true
        case .malformedResponse, .malformedSOCKS, .noAuthenticationMethod, .credentialRefused, .unsendable,
            .unexpectedBytes:
            false
        }
    }
}

extension ProxyError: CustomStringConvertible {
    /// The rule that decided, in words.
    var rule: String {
        switch self {
        case .refused(let refusal): "status \(refusal.status)"
        case .malformedResponse(let error): error.reason.rule
        case .malformedSOCKS(let rule): "SOCKS \(rule.rawValue)"
        case .refusedBySOCKS(let version, let code): Self.reason(version, code)
        case .noAuthenticationMethod, .credentialRefused, .unsendable, .unexpectedBytes, .closed: description
        }
    }

    /// One line for a log.
    public var description: String {
        switch self {
        case .refused(let refusal):
            "the proxy answered CONNECT with \(refusal.status) \(refusal.head.reason)".trimmingTrailingBlank
        case .malformedResponse(let error): "the proxy's answer to CONNECT is malformed: \(error)"
        case .refusedBySOCKS(let version, let code): "the SOCKS proxy refused: \(Self.reason(version, code))"
        case .malformedSOCKS(let rule): "the SOCKS proxy's answer is malformed: \(rule.rawValue)"
        case .noAuthenticationMethod: "the SOCKS proxy accepts no authentication method that the client has"
        case .credentialRefused: "the SOCKS proxy refused the name and the password"
        case .unsendable(let part): "the proxy cannot be given \(part)"
        case .unexpectedBytes: "the proxy sent bytes behind its answer"
        case .closed: "the proxy closed the connection before it had answered"
        }
    }

    private static func reason(_ version: Int, _ code: UInt8) -> String {
        switch (version, code) {
        case (5, 1): "general failure"
        case (5, 2): "connection not allowed by its rules"
        case (5, 3): "network unreachable"
        case (5, 4): "host unreachable"
        case (5, 5): "connection refused"
        case (5, 6): "TTL expired"
        case (5, 7): "command not supported"
        case (5, 8): "address type not supported"
        case (4, 91): "request rejected or failed"
        case (4, 92): "no identd of the client"
        case (4, 93): "identd names another user"
        default: "code \(code)"
        }
    }
}

extension String {
    fileprivate var trimmingTrailingBlank: String { hasSuffix(" ") ? String(dropLast()) : self }
}
