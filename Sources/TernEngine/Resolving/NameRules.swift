// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// What a session or a request says about the hosts that are connected to and their addresses, apart from the resolver.
struct NameRules: Sendable, Hashable {
    var addressOverrides: [AddressOverride] = []
    var endpointOverrides: [EndpointOverride] = []
    /// Nil leaves it to the session, and there it is any.
    var family: AddressFamily?
    /// Whether later hops of a task use the addresses of the earlier ones.
    var keepsAddress = false
    /// Those addresses, for hosts that no override names.
    var keptAddresses: [AddressOverride] = []

    /// Nil if nothing is said.
    var ifAny: NameRules? { self == NameRules() ? nil : self }

    /// A request's rules, before the session's.
    static func joined(_ request: NameRules?, _ session: NameRules?) -> NameRules? {
        guard let request, let session else { return request ?? session }
        return NameRules(
            addressOverrides: request.addressOverrides + session.addressOverrides,
            endpointOverrides: request.endpointOverrides + session.endpointOverrides,
            family: request.family ?? session.family, keepsAddress: request.keepsAddress,
            keptAddresses: request.keptAddresses)
    }

    /// What the overrides say about an origin; nil for nothing.
    func text(about origin: HTTPOrigin) -> String? {
        let endpoint = endpoint(for: origin)
        let override = override(for: endpoint)
        return endpoint == origin && override == nil ? nil : "\(endpoint.hostField) \(override?.description ?? "")"
    }

    /// The host and port that are connected to for an origin.
    func endpoint(for origin: HTTPOrigin) -> HTTPOrigin {
        for override in endpointOverrides { if let endpoint = override.endpoint(for: origin) { return endpoint } }
        return origin
    }

    /// The override for an endpoint: one that names the host comes first.
    func override(for endpoint: HTTPOrigin) -> AddressOverride? {
        let matching = addressOverrides.filter { $0.matches(endpoint) }
        return matching.first { $0.host != nil } ?? matching.first
    }

    /// The addresses of an endpoint, if they are known without a resolver.
    ///
    /// - Parameter family: that of the addresses; nil for the rules' own.
    func addresses(
        of endpoint: HTTPOrigin, _ family: AddressFamily? = nil
    ) -> Result<[TransportAddress], ResolveError>? {
        let override = override(for: endpoint) ?? keptAddresses.first { $0.matches(endpoint) }
        guard let override else { return nil }
        let addresses = override.addresses.filter((family ?? self.family ?? .any).includes)
        if addresses.isEmpty { return .failure(ResolveError(host: endpoint.host, reason: .unknownHost)) }
        return .success(addresses.map { .ip($0, port: endpoint.port) })
    }
}
