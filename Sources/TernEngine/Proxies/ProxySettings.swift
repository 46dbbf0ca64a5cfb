// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
import TernHTTP1
import TernIO

/// Which requests of a session go through which proxy.
public struct ProxySettings: Sendable {
    private let choose: @Sendable (URL) -> Proxy?

    /// All requests go through one proxy, except those to certain hosts.
    public init(_ proxy: Proxy, except exceptions: ProxyExceptions = ProxyExceptions()) {
        choose = { url in exceptions.contains(url) ? nil : proxy }
    }

    /// The closure names the proxy for a URL; nil for a direct connection. Called for each hop, redirects included, on a
    /// reactor's thread: it must not block. The URL has no user information. For a raw stream it is `http://HOST:PORT/`.
    @preconcurrency public init(_ choose: @escaping @Sendable (URL) -> Proxy?) { self.choose = choose }

    /// The proxies that environment variables name, with curl's rules: `http_proxy` in lower case only, because a server
    /// that runs a program sets `HTTP_PROXY` from a field of a request; `https_proxy`, `all_proxy` and `no_proxy` in lower
    /// case before upper case. An empty value counts as none.
    ///
    /// - Parameter variables: the variables by name, usually `ProcessInfo.processInfo.environment`.
    /// - Throws: an error that names the variable whose value is no proxy. Its credential is not in the error.
    public static func environment(_ variables: [String: String]) throws(InvalidProxy) -> ProxySettings {
        let http = try proxy(["http_proxy", "all_proxy", "ALL_PROXY"], variables)
        let https = try proxy(["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"], variables)
        let exceptions = exceptions(in: variables)
        return ProxySettings { url in
            if exceptions.contains(url) { return nil }
            return url.scheme?.lowercased() == "https" ? https : http
        }
    }

    /// The hosts that `no_proxy` names, or `NO_PROXY`.
    package static func exceptions(in variables: [String: String]) -> ProxyExceptions {
        ProxyExceptions(value(["no_proxy", "NO_PROXY"], variables)?.text ?? "")
    }

    private static func proxy(_ names: [String], _ variables: [String: String]) throws(InvalidProxy) -> Proxy? {
        guard let (name, text) = value(names, variables) else { return nil }
        do throws(InvalidProxy) { return try Proxy(text) } catch { throw .variable(name, error) }
    }

    private static func value(_ names: [String], _ variables: [String: String]) -> (name: String, text: String)? {
        for name in names { if let text = variables[name], !text.isEmpty { return (name, text) } }
        return nil
    }

    /// The proxy for a URL; nil for a direct connection.
    public func proxy(for url: URL) -> Proxy? { choose(url) }
}

/// Hosts that are connected to without a proxy, in the syntax of `no_proxy` and with curl's rules.
///
/// Names are separated by commas or blanks. A name is for the host and for all hosts beneath it, with and without a dot at
/// its beginning; case and dots at the end do not matter. An address is for itself in any spelling, and with `/BITS` for its
/// network. A single `*` is for all hosts. Ports are not supported, as in curl.
public struct ProxyExceptions: Sendable, Hashable {
    private let names: [String]
    private let networks: [IPNetwork]
    private let isEverything: Bool

    /// Reads a list; empty for no exceptions. What cannot be read as an address is a name.
    public init(_ text: String = "") {
        var (names, networks): ([String], [IPNetwork]) = ([], [])
        isEverything = text == "*"
        for item in text.split(whereSeparator: { $0 == "," || $0 == " " || $0 == "\t" }) {
            let plain = item.hasPrefix("[") && item.hasSuffix("]") ? item.dropFirst().dropLast() : item
            if let network = Self.network(String(plain)) {
                networks.append(network)
                continue
            }
            let name = Self.withoutDots(item.lowercased())
            if !name.isEmpty { names.append(name) }
        }
        (self.names, self.networks) = (names, networks)
    }

    /// Whether a host is one of them.
    public func contains(host: String) -> Bool {
        if isEverything { return true }
        let bare = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        if let address = IPAddress(literal: bare) { return networks.contains { $0.contains(address) } }
        let host = Self.withoutDots(bare.lowercased(), atBeginning: false)
        return names.contains { host == $0 || host.hasSuffix("." + $0) }
    }

    func contains(_ url: URL) -> Bool { url.host.map { contains(host: $0) } ?? false }

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

    private static func withoutDots(_ name: String, atBeginning: Bool = true) -> String {
        var rest = name[...]
        while rest.hasSuffix(".") { rest = rest.dropLast() }
        if atBeginning, rest.hasPrefix(".") { rest = rest.dropFirst() }
        return String(rest)
    }
}
