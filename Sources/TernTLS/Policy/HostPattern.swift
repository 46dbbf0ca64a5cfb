// SPDX-License-Identifier: Apache-2.0

/// A host, or the hosts below one: `*.example.com` stands for exactly one label more, `**.example.com` for
/// `example.com` and everything below it.
///
/// Compared in lower case and without a trailing dot. An address is only ever itself.
public struct HostPattern: Sendable, Hashable {
    /// How far below its host a pattern reaches.
    public enum Scope: Sendable, Hashable {
        /// The host alone.
        case exact
        /// One label below the host, and not the host itself.
        case oneLabelBelow
        /// The host, and any depth below it.
        case anyDepth
    }

    /// How far below `host` the pattern reaches.
    public let scope: Scope
    /// The host without the asterisks, in the spelling in which hosts are compared.
    public let host: String

    /// - Throws: what does not stand for any host.
    public init(_ text: String) throws(HostPatternError) {
        let name: Substring
        (scope, name) =
            text.hasPrefix("**.")
            ? (.anyDepth, text.dropFirst(3))
            : text.hasPrefix("*.") ? (.oneLabelBelow, text.dropFirst(2)) : (.exact, text[...])
        guard !name.utf8.contains(UInt8(ascii: "*")) else { throw .misplacedWildcard(text) }
        switch ReferenceIdentity(String(name)) {
        case .name(let canonical): host = canonical
        case .address(let address) where scope == .exact: host = HostName.canonical(address)
        case .address: throw .misplacedWildcard(text)
        case nil: throw .invalidHost(text)
        }
    }

    /// Whether the pattern stands for `host`.
    public func matches(_ host: String) -> Bool {
        let host = HostName.canonical(host)
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

extension HostPattern: CustomStringConvertible {
    /// As it is written in a policy.
    public var description: String {
        switch scope {
        case .exact: host
        case .oneLabelBelow: "*." + host
        case .anyDepth: "**." + host
        }
    }
}
