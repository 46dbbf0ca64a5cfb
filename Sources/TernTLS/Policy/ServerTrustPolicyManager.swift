// SPDX-License-Identifier: Apache-2.0

/// Which policy belongs to which host.
///
/// A key is a host, or a pattern: `*.example.com` stands for exactly one label more, `**.example.com` for `example.com`
/// and everything below it. The host itself comes first, then the longest pattern, and `*.` before `**.` where both
/// name the same domain; a pin set that excludes the host is passed over. Keys and hosts are compared in lower case and
/// without a trailing dot, IPv6 addresses in the spelling of RFC 5952. A key that is neither, such as a name that is
/// not in its `xn--` form, stands for no host: ``HostPattern`` throws for it.
///
/// Open, as in Alamofire 4, for subclasses that choose by other rules. Sendable because all it stores is immutable; a
/// subclass has to keep to that, for it is asked from any thread.
open class ServerTrustPolicyManager: @unchecked Sendable {
    /// The policies by host or pattern, as they were given.
    public let policies: [String: ServerTrustPolicy]
    /// Whether a host without a policy is refused (Alamofire 5's default) rather than evaluated as the system would.
    public let allHostsMustBeEvaluated: Bool
    /// The rules that chains are held to where a policy validates them; nil leaves it to the session's configuration.
    public let profile: TrustProfile?
    /// Told of servers that do not meet a pin set, whether they were refused for that or not: once a day for each rule,
    /// host, key and set, and again when the policies change. Runs as a Swift task of its own.
    public let onPinFailure: (@Sendable (PinFailureReport) -> Void)?
    private let canonical: [String: ServerTrustPolicy]

    /// Each policy under its host or pattern. Of two spellings of one host, the first in alphabetical order counts.
    public init(
        policies: [String: ServerTrustPolicy], allHostsMustBeEvaluated: Bool = false, profile: TrustProfile? = nil,
        onPinFailure: (@Sendable (PinFailureReport) -> Void)? = nil
    ) {
        self.policies = policies
        self.allHostsMustBeEvaluated = allHostsMustBeEvaluated
        self.profile = profile
        self.onPinFailure = onPinFailure
        // Two spellings of one host: the first in alphabetical order wins, so that no run differs from another.
        canonical = Dictionary(
            policies.sorted { $0.key < $1.key }.map { (HostName.canonical($0.key), $0.value) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Each set under each of its hosts. Where two sets name the same host or pattern, the first one has it.
    public convenience init(
        pinSets: [PinSet], allHostsMustBeEvaluated: Bool = false, profile: TrustProfile? = nil,
        onPinFailure: (@Sendable (PinFailureReport) -> Void)? = nil
    ) {
        let entries = pinSets.flatMap { set in set.hosts.map { ("\($0)", ServerTrustPolicy.pinSet(set)) } }
        self.init(
            policies: Dictionary(entries, uniquingKeysWith: { first, _ in first }),
            allHostsMustBeEvaluated: allHostsMustBeEvaluated, profile: profile, onPinFailure: onPinFailure)
    }

    /// The policy for a host, or nil if none was given for it.
    open func serverTrustPolicy(forHost host: String) -> ServerTrustPolicy? {
        let host = HostName.canonical(host)
        if let exact = policy(under: host, for: host) { return exact }
        guard case .name? = ReferenceIdentity(host) else { return nil }  // Addresses have no subdomains.
        var domain = Substring(host)
        var depth = 0
        while true {
            if depth == 1, let policy = policy(under: "*." + domain, for: host) { return policy }
            if let policy = policy(under: "**." + domain, for: host) { return policy }
            guard let dot = domain.firstIndex(of: ".") else { return nil }
            domain = domain[domain.index(after: dot)...]
            depth += 1
        }
    }

    private func policy(under key: String, for host: String) -> ServerTrustPolicy? {
        switch canonical[key] {
        case .pinSet(let set)? where set.excludes(host): nil
        case let policy: policy
        }
    }
}

extension ServerTrustPolicyManager {
    /// The policy a server has to meet: the host's own, or the system's evaluation where a host may go without.
    ///
    /// - Throws: `noRequiredEvaluator` where it may not.
    public func requiredPolicy(forHost host: String) throws(TrustFailure) -> ServerTrustPolicy {
        if let policy = serverTrustPolicy(forHost: host) { return policy }
        if allHostsMustBeEvaluated { throw TrustFailure(.noRequiredEvaluator, host: host, seen: []) }
        return .performDefaultEvaluation(validateHost: true)
    }

    /// Judges a server by its host's policy, as a session with this manager would.
    public func evaluate(_ trust: ServerTrust, host: String) -> ServerTrustResult {
        var trust = trust
        trust.profile = profile ?? trust.profile
        do throws(TrustFailure) {
            return try requiredPolicy(forHost: host).evaluate(trust, host: host)
        } catch {
            return ServerTrustResult(
                verdict: .refused(error), host: host, sentChain: trust.sentChain, verifiedChain: [],
                isChainValidated: false, waived: nil, revocation: [], time: trust.time,
                policy: "every host has to have a policy")
        }
    }
}
