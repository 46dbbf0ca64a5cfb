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

    /// Nil without a policy.
    init?(
        session: EgressPolicy?, request: EgressPolicy?, origin: HTTPOrigin, endpoint: HTTPOrigin?, isForwarded: Bool
    ) {
        if session == nil, request == nil { return nil }
        policies = [session, request].compactMap(\.self)
        (self.origin, self.endpoint, self.isForwarded) = (origin, endpoint, isForwarded)
    }

    /// Judges what is known before the host is resolved. Another server resolves the origin's name itself, so only an
    /// address in place of that name can be judged.
    func checkUnresolved() throws(EgressViolation) {
        for policy in policies {
            if let rule = policy.rule(againstScheme: origin.scheme) { throw violation(rule, of: origin.host) }
            if isForwarded, let rule = policy.rule(againstUnresolved: origin) { throw violation(rule, of: origin.host) }
            if let endpoint, let rule = policy.rule(againstPort: endpoint.port) {
                throw violation(rule, of: endpoint.host)
            }
        }
    }

    /// Returns the permitted ones of the addresses that are to be connected to.
    ///
    /// - Throws: the refusal of the first one if none is permitted.
    func permitted(_ addresses: [TransportAddress]) throws(EgressViolation) -> [TransportAddress] {
        var refusal: EgressViolation?
        let permitted = addresses.filter { address in
            for policy in policies {
                guard let rule = policy.rule(against: address) else { continue }
                refusal = refusal ?? EgressViolation(rule: rule, address: address, host: (endpoint ?? origin).host)
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
