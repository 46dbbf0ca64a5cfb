// SPDX-License-Identifier: Apache-2.0
public import TernHTTP1

/// The proxy that a failed request was to go through, and what named it. It has no credential.
public struct ProxyReference: Sendable, Hashable {
    private struct Server: Hashable {
        let kind: Proxy.Kind
        let server: HTTPOrigin
    }

    /// The protocol of the proxy.
    public let kind: Proxy.Kind
    /// Its host and port.
    public let server: HTTPOrigin
    /// What named it.
    public let source: ProxySource
    /// Those that lead to it, the nearest to it first.
    private let preproxies: [Server]

    /// Creates a reference to a proxy and those that lead to it.
    public init(_ proxy: Proxy, from source: ProxySource) {
        (kind, server, self.source) = (proxy.kind, proxy.server, source)
        preproxies = proxy.chain.dropLast().reversed().map { Server(kind: $0.kind, server: $0.server) }
    }

    /// Whether the host is that of the proxy, or of one that leads to it.
    package func includes(host: String) -> Bool {
        server.host == host || preproxies.contains { $0.server.host == host }
    }
}

extension ProxyReference: CustomStringConvertible {
    /// For example "the proxy 127.0.0.1:3128, from https_proxy".
    public var description: String {
        let behind = preproxies.map { ", behind \($0.kind.article) \($0.server.authority)" }.joined()
        return "\(kind.article) \(server.authority), from \(source)\(behind)"
    }
}

extension Proxy.Kind {
    fileprivate var article: String {
        switch self {
        case .http: "the proxy"
        case .https: "the HTTPS proxy"
        case .socks4, .socks4a, .socks5, .socks5h: "the SOCKS proxy"
        }
    }
}

/// What named a proxy.
public enum ProxySource: Sendable, Hashable, CustomStringConvertible {
    /// ``URLRequest/proxy``
    case request
    /// ``SessionConfiguration/proxySettings``
    case session
    /// A variable of the environment, or an option of a command.
    case named(String)

    /// For example "the request", or "https_proxy".
    public var description: String {
        switch self {
        case .request: "the request"
        case .session: "the session"
        case .named(let name): name
        }
    }
}
