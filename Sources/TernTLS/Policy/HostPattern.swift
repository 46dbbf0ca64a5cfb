// SPDX-License-Identifier: Apache-2.0
import TernSystem

/// A host, or the hosts below one: `*.example.com` matches exactly one further label, `**.example.com` matches
/// `example.com` and everything below it.
///
/// Compared in lower case and without a trailing dot. An address matches only itself.
public struct HostPattern: Sendable, Hashable {
    /// The range of hosts that a pattern matches.
    public enum Scope: Sendable, Hashable {
        /// The host alone.
        case exact
        /// One label below the host, but not the host itself.
        case oneLabelBelow
        /// The host, and all names below it.
        case anyDepth
    }

    /// The range of hosts that the pattern matches.
    public let scope: Scope
    /// The host without the asterisks, in the normalised form in which hosts are compared.
    public let host: String

    /// - Throws: ``HostPatternError`` for a text that matches no host.
    public init(_ text: String) throws(HostPatternError) {
        let name: Substring
        (scope, name) =
            text.hasPrefix("**.")
            ? (.anyDepth, text.dropFirst(3))
            : text.hasPrefix("*.") ? (.oneLabelBelow, text.dropFirst(2)) : (.exact, text[...])
        guard !name.utf8.contains(UInt8(ascii: "*")) else { throw .misplacedWildcard(text) }
        switch ReferenceIdentity(InternationalizedNames.inDNS(String(name))) {
        case .name(let canonical): host = canonical
        case .address(let address) where scope == .exact: host = HostName.canonical(address)
        case .address: throw .misplacedWildcard(text)
        case nil: throw .invalidHost(text)
        }
    }

    /// Whether the pattern matches `host`.
    public func matches(_ host: String) -> Bool {
        let host = HostName.canonical(pattern: host)
        switch scope {
        case .exact: return host == self.host
        case .anyDepth where host == self.host: return true
        case .oneLabelBelow, .anyDepth:
            guard host.hasSuffix("." + self.host), case .name? = ReferenceIdentity(host) else { return false }
            let below = host.utf8.dropLast(self.host.utf8.count + 1)
            return !below.isEmpty && (scope == .anyDepth || !below.contains(UInt8(ascii: ".")))
        }
    }
}

extension HostPattern {
    /// Whether the pattern matches all that a name in a certificate does, which may begin with `*.`.
    func covers(certified name: String) -> Bool {
        guard name.hasPrefix("*.") else { return matches(name) }
        let domain = HostName.canonical(String(name.dropFirst(2)))
        return scope == .anyDepth && matches(domain) || scope == .oneLabelBelow && domain == host
    }
}

extension HostPattern: CustomStringConvertible {
    /// The pattern as written in a policy.
    public var description: String {
        switch scope {
        case .exact: host
        case .oneLabelBelow: "*." + host
        case .anyDepth: "**." + host
        }
    }
}

/// Why a text is neither a host nor a host pattern.
public enum HostPatternError: Error, Sendable, Hashable {
    /// The text is neither a DNS name nor an IP address without brackets.
    case invalidHost(String)
    /// There is an asterisk anywhere but in `*.` or `**.` at the beginning.
    case misplacedWildcard(String)
}

extension HostPatternError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalidHost(let text):
            "\"\(text)\" is neither a DNS name nor an IP address"
        case .misplacedWildcard(let text):
            "\"\(text)\" has an asterisk elsewhere than in \"*.\" or \"**.\" at its beginning"
        }
    }
}
