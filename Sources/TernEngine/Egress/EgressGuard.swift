// SPDX-License-Identifier: Apache-2.0
import TernHTTP1
import TernIO

/// Judges one connection by the policies of its session and of its request: what one of them refuses is refused.
struct EgressGuard {
    private let policies: [EgressPolicy]
    /// The origin that the connection is for.
    private let origin: HTTPOrigin
    /// The host and port that are connected to; nil for a Unix domain socket and for a dialer.
    private let endpoint: HTTPOrigin?
    /// Whether the endpoint is another server, which connects to the origin.
    private let isForwarded: Bool
    /// The proxies that others connect to.
    private let proxies: [HTTPOrigin]

    /// Nil without a policy.
    init?(
        session: EgressPolicy?, request: EgressPolicy?, origin: HTTPOrigin, endpoint: HTTPOrigin?, isForwarded: Bool,
        proxies: [HTTPOrigin] = []
    ) {
        if session == nil, request == nil { return nil }
        policies = [session, request].compactMap(\.self)
        (self.origin, self.endpoint, self.isForwarded, self.proxies) = (origin, endpoint, isForwarded, proxies)
    }

    /// Judges what is known before hosts are resolved. A proxy resolves the names that it is given itself, so only an
    /// address in place of such a name can be judged.
    func checkUnresolved() throws(EgressViolation) {
        for policy in policies {
            if let rule = policy.rule(againstScheme: origin.scheme) { throw violation(rule, of: origin.host) }
            if isForwarded, let rule = policy.rule(againstUnresolved: origin) { throw violation(rule, of: origin.host) }
            for proxy in proxies {
                if let rule = policy.rule(againstNamed: proxy) { throw violation(rule, of: proxy.host) }
            }
            if let endpoint, let rule = policy.rule(againstPort: endpoint.port) {
                throw violation(rule, of: endpoint.host)
            }
        }
    }

    /// Returns the permitted ones of the addresses that are to be connected to.
    ///
    /// - Parameter host: what a proxy connects to; nil for what this machine connects to.
    /// - Throws: the refusal of the first one if none is permitted.
    func permitted(
        _ addresses: [TransportAddress], of host: HTTPOrigin? = nil
    ) throws(EgressViolation) -> [TransportAddress] {
        let host = (host ?? endpoint ?? origin).host
        var refusal: EgressViolation?
        let permitted = addresses.filter { address in
            for policy in policies {
                guard let rule = policy.rule(against: address) else { continue }
                refusal = refusal ?? EgressViolation(rule: rule, address: address, host: host)
                return false
            }
            return true
        }
        if permitted.isEmpty, let refusal { throw refusal }
        return permitted
    }

    private func violation(_ rule: EgressViolation.Rule, of host: String) -> EgressViolation {
        EgressViolation(rule: rule, address: nil, host: host)
    }
}
