// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO
import TernSystem

/// Hosts that are connected to without a proxy.
///
/// Each list is read in its own language into one set of rules: a text as curl, Go and Python read `no_proxy`
/// (``init(_:)``), and patterns as CFNetwork reads its `ExceptionsList` (``init(patterns:excludesSimpleHostnames:)``). A host
/// is compared in the form in which it is connected to: in lower case, an IPv4 address in its usual spelling, and without
/// dots at its end.
public struct ProxyExceptions: Sendable, Hashable {
    /// What one item of a list says of hosts.
    private enum Rule: Sendable, Hashable {
        case everything
        /// Names without a dot.
        case simpleNames
        case network(IPNetwork)
        /// This name alone.
        case name(String)
        /// The name and all names below it.
        case domain(String)
        /// All names that end so, which begins with a dot.
        case below(String)
        /// The parts between asterisks, which stand for any text.
        case pattern([String])
    }

    private struct Item: Sendable, Hashable {
        let rule: Rule
        /// Nil for every port.
        var port: UInt16?
    }

    private let items: [Item]

    /// Reads a list as curl reads `no_proxy`, and what Go and Python have in it besides; empty for no exceptions.
    ///
    /// Names are separated by commas or blanks. A name is for the host and for all hosts beneath it, with and without dots at
    /// its beginning, and with `*.` before it for those beneath it alone; case and dots at the end do not matter. An address
    /// is for itself in any spelling, and with `/BITS` for its network. A name or an address with a port, `[::1]:8080`, is for
    /// that port alone. `*` is for all hosts. What cannot be read as an address is a name.
    public init(_ text: String = "") {
        items = text.split(whereSeparator: { $0 == "," || $0 == " " || $0 == "\t" }).compactMap { item in
            let (host, port) = Self.splitPort(item)
            return Self.ruleOfText(host).map { Item(rule: $0, port: port) }
        }
    }

    /// Reads patterns as CFNetwork reads its `ExceptionsList`.
    ///
    /// A name is for itself alone, and with a dot at its beginning for all names beneath it. An asterisk stands for any text,
    /// also of an address: `*.local` is for all names beneath `local`, and not for `local`. A network may leave out zeros at
    /// its end: `169.254/16`.
    ///
    /// - Parameters:
    ///   - patterns: the items of the list; blanks around one do not count.
    ///   - excludesSimpleHostnames: whether names without a dot are exceptions, too.
    public init(patterns: [String], excludesSimpleHostnames: Bool = false) {
        var items = patterns.compactMap { Self.ruleOfPattern($0).map { Item(rule: $0) } }
        if excludesSimpleHostnames { items.append(Item(rule: .simpleNames)) }
        self.items = items
    }

    /// Whether a host is one of them.
    ///
    /// - Parameters:
    ///   - host: a name or an address in any spelling.
    ///   - port: that of the URL; without one, exceptions for single ports do not count.
    public func contains(host: String, port: UInt16? = nil) -> Bool {
        contains(canonicalHost: HTTPOrigin.canonicalHost(InternationalizedNames.inDNS(host)), port: port)
    }

    /// Whether the host of an origin is one of them.
    func contains(_ origin: HTTPOrigin) -> Bool { contains(canonicalHost: origin.host, port: origin.port) }

    private func contains(canonicalHost host: String, port: UInt16?) -> Bool {
        if items.isEmpty { return false }
        let name = Self.withoutFinalDots(host)
        let address = IPAddress(literal: host)
        return items.contains { item in
            guard item.port == nil || item.port == port else { return false }
            return Self.matches(item.rule, name, address)
        }
    }

    private static func matches(_ rule: Rule, _ name: String, _ address: IPAddress?) -> Bool {
        switch rule {
        case .everything: true
        case .network(let network): address.map(network.contains) ?? false
        case .pattern(let parts): matches(parts, name)
        case .simpleNames: address == nil && !name.contains(".")
        case .name(let other): address == nil && name == other
        case .domain(let other): address == nil && (name == other || name.hasSuffix("." + other))
        case .below(let suffix): address == nil && name.count > suffix.count && name.hasSuffix(suffix)
        }
    }

    /// Whether a text begins and ends with the outer parts and has the others between, one behind the other.
    private static func matches(_ parts: [String], _ name: String) -> Bool {
        guard let first = parts.first, let last = parts.last, name.hasPrefix(first) else { return false }
        var rest = name.dropFirst(first.count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let range = rest.firstRange(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return rest.hasSuffix(last)
    }

    private static func ruleOfText(_ item: Substring) -> Rule? {
        if item == "*" { return .everything }
        let plain = withoutBrackets(item)
        if let network = network(plain) ?? network(HTTPOrigin.canonicalHost(plain)) { return .network(network) }
        if item.hasPrefix("*.") { return name(item.dropFirst(2)).map { .below("." + $0) } }
        return name(item.drop { $0 == "." }).map { .domain($0) }
    }

    private static func ruleOfPattern(_ pattern: String) -> Rule? {
        let scalars = pattern.unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return nil }
        let item = Substring(scalars[first...last])
        if item.contains("*") {
            if item.allSatisfy({ $0 == "*" }) { return .everything }
            let parts = withoutBrackets(item).lowercased().split(separator: "*", omittingEmptySubsequences: false)
            return .pattern(parts.map(String.init))
        }
        let plain = withoutBrackets(item)
        if let network = network(plain) ?? network(withZeros(plain)) ?? network(HTTPOrigin.canonicalHost(plain)) {
            return .network(network)
        }
        if item.hasPrefix(".") { return name(item.drop { $0 == "." }).map { .below("." + $0) } }
        return name(item).map { .name($0) }
    }

    /// Bits behind the prefix do not matter.
    private static func network(_ text: String) -> IPNetwork? {
        do throws(InvalidIPNetwork) {
            return try IPNetwork(text)
        } catch .hostBits(_, let network) {
            return try? IPNetwork(network)
        } catch {
            return nil
        }
    }

    /// `169.254.0.0/16` for `169.254/16`.
    private static func withZeros(_ text: String) -> String {
        guard let slash = text.firstIndex(of: "/"), !text.contains(":") else { return text }
        let missing = 3 - text[..<slash].count(where: { $0 == "." })
        return text[..<slash] + String(repeating: ".0", count: max(0, missing)) + text[slash...]
    }

    /// A name in the form in which it is connected to; nil for none.
    private static func name(_ text: Substring) -> String? {
        let name = withoutFinalDots(text.lowercased())
        if name.isEmpty { return nil }
        return InternationalizedNames.inDNS(name).lowercased()
    }

    private static func splitPort(_ item: Substring) -> (host: Substring, port: UInt16?) {
        guard let colon = item.lastIndex(of: ":") else { return (item, nil) }
        let host = item[..<colon]
        // More colons without brackets are an IPv6 address.
        guard !host.contains(":") || host.hasSuffix("]"), !host.isEmpty,
            let port = UInt16(item[colon...].dropFirst())
        else { return (item, nil) }
        return (host, port)
    }

    private static func withoutBrackets(_ item: Substring) -> String {
        String(item.hasPrefix("[") && item.hasSuffix("]") ? item.dropFirst().dropLast() : item)
    }

    private static func withoutFinalDots(_ name: String) -> String {
        guard name.hasSuffix(".") else { return name }
        return String(name.reversed().drop { $0 == "." }.reversed())
    }
}
