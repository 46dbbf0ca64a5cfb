// SPDX-License-Identifier: Apache-2.0
public import TernHTTP1
public import TernIO

/// Where connections may lead: a guard for programs that request URLs which others have given them (server-side request
/// forgery).
///
/// The address that a socket connects to is judged, at that moment, and not the text of a URL: so a name that is
/// resolved to another address the second time, a redirect, and an address in an odd spelling are judged alike. Of
/// several addresses of a host only the permitted ones are tried.
///
/// The parts are judged in this order, and the first that refuses is the rule of the ``EgressViolation``: ``schemes``,
/// ``ports``, ``deniedNetworks``, ``allowedNetworks``, which permits, and ``reach``. An IPv6 address that stands for an
/// IPv4 address (IPv4-mapped, IPv4-compatible, with the prefix 64:ff9b::/96 of translators, or of 6to4) is judged as that;
/// a denied network also refuses what contains one of its addresses.
public struct EgressPolicy: Sendable, Hashable {
    /// The addresses that no list names.
    public enum Reach: Sendable, Hashable {
        /// All are permitted.
        case everywhere
        /// Those without a ``SpecialPurpose`` are permitted.
        case publicInternet
        /// None is permitted.
        case allowedNetworks
    }

    /// What holds for addresses that are in no list.
    public var reach: Reach
    /// The networks whose addresses are permitted whatever ``reach`` says, unless they are denied.
    public var allowedNetworks: [IPNetwork] = []
    /// The networks whose addresses are refused.
    public var deniedNetworks: [IPNetwork] = []
    /// The ports that may be connected to; nil, the default, for all.
    public var ports: Set<UInt16>?
    /// The schemes that may be requested; nil, the default, for all. A raw stream counts as `http`: it begins without TLS.
    public var schemes: Set<HTTPOrigin.Scheme>?
    /// Whether Unix domain sockets may be connected to, and what a ``ConnectionDialer`` returns that is not connected to an
    /// IP address. False by default.
    public var allowsUnixSockets = false

    /// Creates a policy without lists, for all ports and schemes.
    public init(reach: Reach) { self.reach = reach }

    /// The servers of the public internet: no address of this machine, of its networks, of its provider's metadata, or of
    /// another ``SpecialPurpose``.
    public static let publicInternet = EgressPolicy(reach: .publicInternet)

    /// This machine: its loopback addresses and its Unix domain sockets.
    public static let thisMachine: EgressPolicy = {
        var policy = EgressPolicy(reach: .allowedNetworks)
        let networks = [(IPAddress(v4: 0x7F00_0000), 8), (IPAddress(.init(isIPv6: true, high: 0, low: 1)), 128)]
        policy.allowedNetworks = networks.compactMap { try? IPNetwork($0, prefixLength: $1) }
        policy.allowsUnixSockets = true
        return policy
    }()

    /// No server.
    static let nowhere: EgressPolicy = {
        var policy = EgressPolicy(reach: .allowedNetworks)
        policy.schemes = []
        return policy
    }()

    /// The policy as a text that is the same in every process, and another for every other policy.
    var text: String {
        let networks = { (networks: [IPNetwork]) in networks.map { "\($0)" }.joined(separator: ",") }
        let ports = ports.map { $0.sorted().map { "\($0)" }.joined(separator: ",") } ?? "all"
        let schemes = schemes.map { $0.map { "\($0)" }.sorted().joined(separator: ",") } ?? "all"
        return
            "\(reach) \(networks(allowedNetworks)) \(networks(deniedNetworks)) \(ports) \(schemes) \(allowsUnixSockets)"
    }

    /// Returns the rule that refuses a connection to this port of the address; nil if it is permitted.
    public func rule(against address: IPAddress, port: UInt16) -> EgressViolation.Rule? {
        if let rule = rule(againstPort: port) { return rule }
        let judged = address.translated ?? address
        if !deniedNetworks.isEmpty, let network = deniedNetwork(of: address) { return .deniedNetwork(network) }
        if allowedNetworks.contains(where: { $0.contains(judged) }) { return nil }
        switch reach {
        case .everywhere: return nil
        case .publicInternet: return SpecialPurpose(judged).map(EgressViolation.Rule.specialPurpose)
        case .allowedNetworks: return .notAllowed
        }
    }

    private func deniedNetwork(of address: IPAddress) -> IPNetwork? {
        let inner = address.inner
        return deniedNetworks.first { $0.contains(address) || inner.contains(where: $0.contains) }
    }

    /// The same for a socket's address.
    public func rule(against address: TransportAddress) -> EgressViolation.Rule? {
        switch address {
        case .ip(let address, let port): rule(against: address, port: port)
        case .unix: allowsUnixSockets ? nil : .unixSocket
        case .unnamed: allowsUnixSockets ? nil : .unnamedPeer
        }
    }

    /// The same for what is known of an origin before its name is resolved: its scheme and what its host and port say.
    package func rule(againstUnresolved origin: HTTPOrigin) -> EgressViolation.Rule? {
        rule(againstScheme: origin.scheme) ?? rule(againstNamed: origin)
    }

    /// The same for what a server's host and port say: the port, an address, and a name of this machine, which other
    /// machines have, too. Where a proxy resolves the name nothing else is known.
    func rule(againstNamed server: HTTPOrigin) -> EgressViolation.Rule? {
        if let rule = rule(againstPort: server.port) { return rule }
        // A proxy may not mind dots at the end.
        let name = String(server.host.reversed().drop { $0 == "." }.reversed())
        guard let known = try? Resolver.knownAddresses(of: name, family: .any)?.get() else { return nil }
        let rules = known.map { rule(against: $0, port: server.port) }
        return rules.contains(nil) ? nil : rules.first ?? nil
    }

    func rule(againstScheme scheme: HTTPOrigin.Scheme) -> EgressViolation.Rule? {
        schemes.map { $0.contains(scheme) } ?? true ? nil : .scheme(scheme)
    }

    func rule(againstPort port: UInt16) -> EgressViolation.Rule? {
        ports.map { $0.contains(port) } ?? true ? nil : .port(port)
    }
}

/// A connection that an ``EgressPolicy`` refuses. No byte was sent.
public struct EgressViolation: Error, Sendable, Hashable, CustomStringConvertible {
    /// The rule of the policy.
    public enum Rule: Sendable, Hashable, CustomStringConvertible {
        /// The address, or the IPv4 address that it stands for, is not of the public internet.
        case specialPurpose(SpecialPurpose)
        /// The address is in a denied network, or contains an address of it.
        case deniedNetwork(IPNetwork)
        /// The address is in no allowed network.
        case notAllowed
        /// The port is not among those of the policy.
        case port(UInt16)
        /// The scheme is not among those of the policy.
        case scheme(HTTPOrigin.Scheme)
        /// The policy permits no Unix domain sockets.
        case unixSocket
        /// The policy permits no peers without an IP address.
        case unnamedPeer

        public var description: String {
            switch self {
            case .specialPurpose(let purpose): "\(purpose)"
            case .deniedNetwork(let network): "an address of the denied network \(network)"
            case .notAllowed: "an address of no allowed network"
            case .port(let port): "the port \(port) is not allowed"
            case .scheme(let scheme): "the scheme \(scheme) is not allowed"
            case .unixSocket: "Unix domain sockets are not allowed"
            case .unnamedPeer: "peers without an IP address are not allowed"
            }
        }
    }

    /// The rule that refused.
    public let rule: Rule
    /// The refused address, the first one if there are several; nil if the rule refused before the host was resolved.
    public let address: TransportAddress?
    /// The host that was to be connected to, as origins have it.
    public let host: String

    /// Creates a violation, for delegates and tests that make errors of their own.
    public init(rule: Rule, address: TransportAddress?, host: String) {
        (self.rule, self.address, self.host) = (rule, address, host)
    }

    /// For example "the egress policy refuses 10.0.0.1:80: an address for private use".
    public var description: String {
        let place = address.map { "\($0)" } ?? host
        return "the egress policy refuses \(place.prefix(200)): \(rule)"
    }
}
