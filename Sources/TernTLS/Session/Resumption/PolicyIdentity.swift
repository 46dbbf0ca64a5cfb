// SPDX-License-Identifier: Apache-2.0

/// The demands of a policy, as a value that can be compared: a verdict counts only for the same demands.
enum PolicyIdentity: Hashable {
    case defaultEvaluation(validateHost: Bool)
    case revokedEvaluation(validateHost: Bool, RevocationFlags)
    case pinnedCertificates([X509Certificate], validateChain: Bool, validateHost: Bool)
    case pinnedKeys([X509Certificate.PublicKey], validateChain: Bool, validateHost: Bool)
    case pinSet(PinSet)
    case composite([PolicyIdentity])
    case disabled
    /// Closures cannot be compared; they are called again instead.
    case custom

    /// Whether a verdict may change though its chain is still valid: closures may answer differently, and a composite
    /// may have more chains than the reported one.
    var isReevaluated: Bool {
        switch self {
        case .custom, .composite: true
        case .defaultEvaluation, .revokedEvaluation, .pinnedCertificates, .pinnedKeys, .pinSet, .disabled: false
        }
    }
}

extension ServerTrustPolicy {
    var identity: PolicyIdentity {
        switch self {
        case .performDefaultEvaluation(let host): .defaultEvaluation(validateHost: host)
        case .performRevokedEvaluation(let host, let flags): .revokedEvaluation(validateHost: host, flags)
        case .pinCertificates(let pins, let chain, let host):
            .pinnedCertificates(pins, validateChain: chain, validateHost: host)
        case .pinPublicKeys(let pins, let chain, let host): .pinnedKeys(pins, validateChain: chain, validateHost: host)
        case .pinSet(let set): .pinSet(set)
        case .composite(let policies): .composite(policies.map(\.identity))
        case .disableEvaluation: .disabled
        case .customEvaluation: .custom
        }
    }
}
