// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernFiles
public import TernHTTP1
import TernIO

/// A server that requests are sent through.
///
/// An HTTP proxy gets requests for `http` URLs whole, with the URL in them (RFC 9112 §3.2.2), and opens a tunnel to the
/// servers of `https` URLs and of raw streams (`CONNECT`, RFC 9110 §9.3.6). A SOCKS proxy opens a tunnel to every server.
/// What is sent in a tunnel is not for the proxy: TLS with the origin is within it, and the origin's certificate is
/// evaluated as without a proxy. A proxy that is itself secured is evaluated by the session's trust policy for its host.
///
/// Its credential is sent to this proxy alone, and never to an origin or to another proxy; connections are shared only by
/// requests with equal proxies, credential included.
public struct Proxy: Sendable, Hashable {
    /// The protocol that the proxy speaks.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// HTTP without TLS.
        case http
        /// HTTP over TLS.
        case https
        /// SOCKS 4 with an IPv4 address that the client has resolved.
        case socks4
        /// SOCKS 4 with a name that the proxy resolves.
        case socks4a
        /// SOCKS 5 (RFC 1928) with an address that the client has resolved.
        case socks5
        /// SOCKS 5 with a name that the proxy resolves.
        case socks5h

        /// The schemes of proxies in texts.
        package static var schemes: [String] { allCases.map(\.rawValue) }

        // What else there is to know of a kind is in the switches below, which have no default: a further kind does not
        // compile until each of them has an answer.

        /// Whether it speaks HTTP.
        public var isHTTP: Bool { tunnelProtocol == .connect }

        /// How a proxy is asked for a tunnel.
        enum TunnelProtocol {
            /// CONNECT of HTTP.
            case connect
            case socks4
            case socks5
        }

        var tunnelProtocol: TunnelProtocol {
            switch self {
            case .http, .https: .connect
            case .socks4, .socks4a: .socks4
            case .socks5, .socks5h: .socks5
            }
        }

        /// The addresses that the client resolves the name of a tunnel's end to, because the proxy gets no name; nil
        /// where the proxy resolves it.
        var resolvedFamily: AddressFamily? {
            switch self {
            case .http, .https, .socks4a, .socks5h: nil
            case .socks4: .ipv4
            case .socks5: .any
            }
        }

        /// `https` for one that is connected to over TLS.
        var scheme: HTTPOrigin.Scheme {
            switch self {
            case .https: .https
            case .http, .socks4, .socks4a, .socks5, .socks5h: .http
            }
        }

        /// The port of a proxy without one, as in curl.
        var defaultPort: UInt16 {
            switch self {
            case .https: 443
            case .http, .socks4, .socks4a, .socks5, .socks5h: 1080
            }
        }
    }

    /// The protocol.
    public let kind: Kind
    /// Its host and port; with the scheme `https` if it is connected to over TLS.
    public let server: HTTPOrigin
    /// The name and the password for the proxy, which it gets when it requests them: at once if ``PasswordCredential/schemes``
    /// has Basic alone, in SOCKS always. SOCKS 4 sends the name alone.
    public var credential: PasswordCredential?
    /// Whether requests for `http` URLs go through a tunnel, too. A SOCKS proxy always opens one.
    public var tunnelsAll = false
    /// Fields of every `CONNECT`. The origin gets none of them.
    public var connectHeaders: HeaderFields = [:]
    /// The proxy that this one is connected to through, which is given its name or its address as an origin's; none by
    /// default.
    public var preproxy: Proxy? {
        get { chained.first }
        set { chained = newValue.map { [$0] } ?? [] }
    }
    /// None or one.
    private var chained: [Proxy] = []

    /// Creates a proxy without a credential.
    ///
    /// - Parameters:
    ///   - kind: the protocol.
    ///   - host: the name or address of the proxy.
    ///   - port: nil for that of the kind: 443 of `https`, and 1080 of all others, as in curl.
    public init(_ kind: Kind, host: String, port: UInt16? = nil) {
        self.kind = kind
        server = HTTPOrigin(scheme: kind.scheme, host: host, port: port ?? kind.defaultPort)
    }

    /// Creates a proxy from a text such as `socks5h://user:password@proxy.example:1080`, as curl reads it: without a scheme
    /// it is an HTTP proxy. The name and the password are percent-decoded, and a percent sign that begins no escape stands
    /// for itself; a path is ignored. A host with escapes or beyond ASCII is read as in a URL.
    ///
    /// - Throws: an error that names the part that cannot be read, and never the name or the password.
    public init(_ text: String) throws(InvalidProxy) {
        let text = String(decoding: URL.withTwoSlashes(text.utf8), as: UTF8.self)
        var rest = text[...]
        var kind = Kind.http
        if let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") {
            let scheme = text[..<colon].lowercased()
            guard let named = scheme == "socks" ? .socks4 : Kind(rawValue: scheme) else { throw .scheme(scheme) }
            kind = named
            rest = text[colon...].dropFirst(3)
        }
        rest = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        // Without the name and the password, which an error must not show: not even one with an unescaped slash.
        let place = rest.lastIndex(of: "@").map { rest[rest.index(after: $0)...] } ?? rest
        guard !place.isEmpty, let decoded = Self.decodingHost(place),
            let origin = try? Destination(
                absoluteString: URIReference(escaping: "http://\(decoded)/".utf8).description
            ).origin
        else { throw .server(String(text.lastIndex(of: "@").map { text[$0...].dropFirst() } ?? place)) }
        let afterHost = place.lastIndex(of: "]").map { place[$0...] } ?? place
        self.init(kind, host: origin.host, port: afterHost.contains(":") ? origin.port : nil)
        if place.startIndex > rest.startIndex {
            credential = PasswordCredential(userinfo: ByteText.bytes(of: rest[..<place.startIndex].dropLast()))
        }
    }

    /// Host and port without escapes in the host, as in curl; nil for an escape that would end it.
    private static func decodingHost(_ place: Substring) -> String? {
        // In brackets a percent sign begins a zone.
        guard place.contains("%"), !place.hasPrefix("[") else { return String(place) }
        let host = PercentEncoding.leniently(Array(place.prefix { $0 != ":" }.utf8)[...])
        if host.contains(where: { ":/?#@[]\\%".utf8.contains($0) }) { return nil }
        return String(decoding: host, as: UTF8.self) + place.drop { $0 != ":" }
    }

    /// This proxy and those before it, in the order in which they are connected to.
    var chain: [Proxy] { (preproxy?.chain ?? []) + [self] }
}

extension Proxy: CustomStringConvertible {
    /// Kind, host and port, without the credential.
    public var description: String {
        let host = server.host.contains(":") ? "[\(server.host)]" : server.host
        return "\(kind.rawValue)://\(host):\(server.port)"
    }
}

/// The proxy of one request.
public enum ProxyChoice: Sendable, Hashable {
    /// The one that the session's settings name.
    case ofSession
    /// None.
    case direct
    /// This one, also for redirects.
    case through(Proxy)
}

/// Why a text names no proxy.
public enum InvalidProxy: Error, Sendable, Hashable, CustomStringConvertible {
    /// A scheme that is none of ``Proxy/Kind``.
    case scheme(String)
    /// What follows the scheme is no host and port.
    case server(String)
    /// A name of an environment variable, and why its value cannot be read.
    indirect case variable(String, InvalidProxy)

    public var description: String {
        switch self {
        case .scheme(let scheme):
            "no proxy has the scheme \(scheme): \(Proxy.Kind.schemes.joined(separator: ", ")) do"
        case .server(let text): "no host and port of a proxy: \(text)"
        case .variable(let name, let error): "\(name): \(error)"
        }
    }
}

/// The version of the PROXY protocol, which tells the origin behind a load balancer where a connection comes from. Behind a
/// proxy the header says that this is unknown: the addresses of the connection to the proxy are not for the origin.
public enum ProxyProtocol: Int, Sendable, Hashable {
    /// One line of text.
    case v1 = 1
    /// A binary header.
    case v2 = 2
}
