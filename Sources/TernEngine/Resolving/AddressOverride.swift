// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
public import TernIO
import TernSystem

/// The addresses of a host and port, which no resolver is asked for, as with curl's `--resolve`. The URL, the `Host`
/// field and the name in the server's certificate stay those of the host.
public struct AddressOverride: Sendable, Hashable, CustomStringConvertible {
    /// In lower case and without brackets; nil for every host, addresses included. An override that names the host comes
    /// before one for every host.
    public let host: String?
    /// Nil for every port.
    public let port: UInt16?
    /// In order of preference.
    public let addresses: [IPAddress]

    /// Creates an override. Without addresses the host cannot be resolved.
    public init(host: String?, port: UInt16?, addresses: [IPAddress]) {
        self.host = host.map(HTTPOrigin.namedHost)
        self.port = port
        self.addresses = addresses
    }

    /// Reads curl's `HOST:PORT:ADDRESS[,ADDRESS]…`: the host `*` is every host, and IPv6 addresses may have brackets. A `+`
    /// before the host has no effect: an override holds as long as its session or request.
    ///
    /// - Throws: ``InvalidOverride``
    public init(_ text: String) throws(InvalidOverride) {
        var text = Substring(text)
        if text.hasPrefix("+") { text = text.dropFirst() }
        let (host, rest) = try Self.host(of: text)
        guard let colon = rest.firstIndex(of: ":") else { throw .missingPart(String(text)) }
        guard let port = UInt16(decimal: rest[..<colon]) else { throw .port(String(rest[..<colon])) }
        var addresses: [IPAddress] = []
        for part in rest[rest.index(after: colon)...].split(separator: ",") {
            let literal = part.hasPrefix("[") && part.hasSuffix("]") ? part.dropFirst().dropLast() : part
            guard let address = IPAddress(literal: String(literal)) else { throw .address(String(part)) }
            addresses.append(address)
        }
        if addresses.isEmpty { throw .missingPart(String(text)) }
        self.init(host: host == "*" ? nil : host, port: port, addresses: addresses)
    }

    /// The host and the port of curl's `HOST:PORT`, as in `-HOST:PORT`, which removes an override.
    package static func key(_ text: String) throws(InvalidOverride) -> (host: String?, port: UInt16) {
        let (host, rest) = try host(of: Substring(text))
        guard let port = UInt16(decimal: rest.prefix { $0 != ":" }) else { throw .port(String(rest)) }
        return (host == "*" ? nil : HTTPOrigin.namedHost(host), port)
    }

    /// Splits off the host, in brackets if it has colons.
    private static func host(of text: Substring) throws(InvalidOverride) -> (String, Substring) {
        guard let (host, rest) = text.splitHost(), !host.isEmpty, let rest else { throw .missingPart(String(text)) }
        return (String(host), rest)
    }

    /// As curl's option has it.
    public var description: String {
        let host = host.map { $0.contains(":") ? "[\($0)]" : $0 } ?? "*"
        return "\(host):\(port.map { "\($0)" } ?? "*"):" + addresses.map(\.description).joined(separator: ",")
    }

    /// Whether it is about this host and port.
    func matches(_ endpoint: HTTPOrigin) -> Bool {
        (host == nil || host == endpoint.host) && (port == nil || port == endpoint.port)
    }
}

/// Another host and port to connect to, as with curl's `--connect-to`: the request stays the same, with its `Host` field
/// and the name in the server's certificate.
public struct EndpointOverride: Sendable, Hashable, CustomStringConvertible {
    /// The host of the URL, in lower case and without brackets; nil for every host.
    public let host: String?
    /// The port of the URL; nil for every port.
    public let port: UInt16?
    /// The host to connect to; nil for that of the URL.
    public let targetHost: String?
    /// The port to connect to; nil for that of the URL.
    public let targetPort: UInt16?

    /// Creates an override for URLs with this host and port. Of several, the first that matches counts.
    public init(host: String?, port: UInt16?, targetHost: String?, targetPort: UInt16?) {
        self.host = host.map(HTTPOrigin.namedHost)
        self.targetHost = targetHost.map(HTTPOrigin.namedHost)
        (self.port, self.targetPort) = (port, targetPort)
    }

    /// Reads curl's `HOST1:PORT1:HOST2:PORT2`, of which each part may be empty, and the last left out. IPv6 addresses stand
    /// in brackets.
    ///
    /// - Throws: ``InvalidOverride``
    public init(_ text: String) throws(InvalidOverride) {
        guard let (host, afterHost) = Substring(text).splitHost(), let afterHost,
            let colon = afterHost.firstIndex(of: ":"),
            let (targetHost, targetPort) = afterHost[afterHost.index(after: colon)...].splitHost()
        else { throw .missingPart(text) }
        self.init(
            host: host.isEmpty ? nil : String(host), port: try Self.port(afterHost[..<colon]),
            targetHost: targetHost.isEmpty ? nil : String(targetHost), targetPort: try Self.port(targetPort ?? ""))
    }

    private static func port(_ text: Substring) throws(InvalidOverride) -> UInt16? {
        if text.isEmpty { return nil }
        guard let port = UInt16(decimal: text) else { throw .port(String(text)) }
        return port
    }

    /// As curl's option has it.
    public var description: String {
        [(host, port), (targetHost, targetPort)].map { host, port in
            (host.map { $0.contains(":") ? "[\($0)]" : $0 } ?? "") + ":" + (port.map { "\($0)" } ?? "")
        }.joined(separator: ":")
    }

    /// The host and port to connect to for an origin; nil if the override is not about it.
    func endpoint(for origin: HTTPOrigin) -> HTTPOrigin? {
        guard host == nil || host == origin.host, port == nil || port == origin.port else { return nil }
        return HTTPOrigin(
            scheme: origin.scheme, host: targetHost ?? origin.host, port: targetPort ?? origin.port)
    }
}

/// Why a text is no ``AddressOverride`` or ``EndpointOverride``.
public enum InvalidOverride: Error, Sendable, Hashable, CustomStringConvertible {
    /// It has fewer parts than are needed.
    case missingPart(String)
    /// The part is no port from 1 to 65535.
    case port(String)
    /// The part is no IP address.
    case address(String)

    /// For example "x: no port from 1 to 65535".
    public var description: String {
        switch self {
        case .missingPart(let text): "\(text.prefix(200)): a part is missing"
        case .port(let text): "\(text.prefix(200)): no port from 1 to 65535"
        case .address(let text): "\(text.prefix(200)): no IP address"
        }
    }
}

extension UInt16 {
    /// Reads a number from 1 of digits only.
    fileprivate init?(decimal digits: Substring) {
        guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = UInt16(digits), number > 0
        else { return nil }
        self = number
    }
}

extension Substring {
    /// The host before the first colon, or in brackets, and what follows that colon; nil for an open bracket, and for
    /// what stands between a bracket and a colon.
    fileprivate func splitHost() -> (host: Substring, rest: Substring?)? {
        guard hasPrefix("[") else {
            guard let colon = firstIndex(of: ":") else { return (self, nil) }
            return (self[..<colon], self[index(after: colon)...])
        }
        guard let end = firstIndex(of: "]") else { return nil }
        let (host, rest) = (self[index(after: startIndex)..<end], self[index(after: end)...])
        if rest.isEmpty { return (host, nil) }
        return rest.first == ":" ? (host, rest.dropFirst()) : nil
    }
}

extension HTTPOrigin {
    /// The host of an origin with this host, which a setting may name beyond ASCII.
    fileprivate static func namedHost(_ host: String) -> String { canonicalHost(InternationalizedNames.inDNS(host)) }
}
