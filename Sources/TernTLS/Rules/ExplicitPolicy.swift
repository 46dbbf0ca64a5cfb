// SPDX-License-Identifier: Apache-2.0
import CTernOpenSSL

/// The state variable `explicit_policy` of RFC 5280 §6.1. Policies matter to a client without its own requirements only
/// if an authority requires them.
enum ExplicitPolicy {
    /// Whether the path, leaf first, is valid only with a certificate policy that is valid all along it. An anchor's
    /// requirements are ignored (§6.1.1 d).
    static func isRequired(in path: [X509Certificate]) -> Bool {
        guard path.dropLast().contains(where: { $0.x509.hasExtension(NID_policy_constraints) }) else { return false }
        // §6.1.2 d: one more than the number of certificates below the anchor.
        var remaining = path.count
        for (depth, certificate) in path.dropLast().enumerated().reversed() {
            let demand = certificate.x509.policyConstraints?.requireExplicitPolicy
            if depth == 0 {
                // §6.1.5 a, b
                remaining = demand == 0 ? 0 : max(0, remaining - 1)
            } else {
                // §6.1.4 h, i
                if !certificate.x509.isSelfIssued { remaining = max(0, remaining - 1) }
                remaining = min(remaining, demand ?? remaining)
            }
        }
        return remaining == 0
    }
}
