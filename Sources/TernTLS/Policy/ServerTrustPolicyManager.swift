// SPDX-License-Identifier: Apache-2.0
#if DEBUG
    import TernSystem
#endif

/// The policies of hosts.
///
/// A key is a host, or a pattern: `*.example.com` matches exactly one further label, `**.example.com` matches
/// `example.com` and everything below it. The host itself has precedence, then the longest pattern, and `*.` before
/// `**.` for the same domain; a pin set that excludes the host is skipped. Keys and hosts are compared in lower case
/// and without a trailing dot, IPv6 addresses in the form of RFC 5952, names beyond ASCII in the form that they have in
/// DNS. A key that is neither, such as a URL or `api.*.com`, matches no host, and leaves the host that was meant without
/// a policy: ``unusableKeys`` tells these, ``init(checking:allHostsMustBeEvaluated:profile:maximumPathDepth:onPinFailure:)``
/// throws for them, and debug builds write them to standard error.
///
/// Open, as in Alamofire 4, for subclasses that choose by other rules. Sendable because all its properties are
/// immutable; a subclass must keep this property, because any thread may call it.
open class ServerTrustPolicyManager: @unchecked Sendable {
    /// The policies by host or pattern, as given.
    public let policies: [String: ServerTrustPolicy]
    /// Whether a host without a policy is refused (Alamofire 5's default) instead of evaluated with the default policy.
    public let allHostsMustBeEvaluated: Bool
    /// The rules for chains that a policy validates; nil for those of the session's configuration.
    public let profile: TrustProfile?
    /// The maximum number of certificates between a server's own and its anchor, as ``ServerTrust/maximumPathDepth``; nil
    /// for that of the session's configuration.
    public let maximumPathDepth: Int?
    /// Called for servers that do not match a pin set, whether they were refused for that or not: once a day for each
    /// rule, host, key and set, and again when the policies change. Runs on a thread of Tern's that is no reactor's.
    public let onPinFailure: (@Sendable (PinFailureReport) -> Void)?
    /// The keys of `policies` that match no host, and why. Empty for a manager from pin sets, whose patterns are checked.
    public let unusableKeys: [String: HostPatternError]
    private let indices: [PolicyIndex]

    /// Creates a manager from policies by host or pattern. If two keys name the same host, the first in alphabetical
    /// order counts. A key that matches no host is in ``unusableKeys``, as Alamofire ignores it.
    public init(
        policies: [String: ServerTrustPolicy], allHostsMustBeEvaluated: Bool = false, profile: TrustProfile? = nil,
        maximumPathDepth: Int? = nil, onPinFailure: (@Sendable (PinFailureReport) -> Void)? = nil
    ) {
        self.policies = policies
        self.allHostsMustBeEvaluated = allHostsMustBeEvaluated
        self.profile = profile
        self.maximumPathDepth = maximumPathDepth
        self.onPinFailure = onPinFailure
        unusableKeys = Self.unusable(policies.keys)
        let excluding = { (policy: ServerTrustPolicy) -> [HostPattern] in
            if case .pinSet(let set) = policy { set.excludedHosts } else { [] }
        }
        let entries = policies.sorted { $0.key < $1.key }.map { ($0.key, $0.value, excluding($0.value)) }
        indices = [PolicyIndex(entries, otherHosts: nil)]
        #if DEBUG
            // A subclass may have keys of its own.
            guard type(of: self) == ServerTrustPolicyManager.self else { return }
            for (_, error) in unusableKeys.sorted(by: { $0.key < $1.key }) {
                StandardError.write("tern: ServerTrustPolicyManager: \(error), so this policy is never used")
            }
        #endif
    }

    /// Creates a manager from policies by host or pattern, each of which must match some host: for policies that are written
    /// in code.
    ///
    /// - Throws: what is wrong with the first key, in alphabetical order, that matches none.
    public convenience init(
        checking policies: [String: ServerTrustPolicy], allHostsMustBeEvaluated: Bool = false,
        profile: TrustProfile? = nil, maximumPathDepth: Int? = nil,
        onPinFailure: (@Sendable (PinFailureReport) -> Void)? = nil
    ) throws(HostPatternError) {
        if let first = Self.unusable(policies.keys).min(by: { $0.key < $1.key }) { throw first.value }
        self.init(
            policies: policies, allHostsMustBeEvaluated: allHostsMustBeEvaluated, profile: profile,
            maximumPathDepth: maximumPathDepth, onPinFailure: onPinFailure)
    }

    /// Rules of hosts: hosts, hosts that a policy is not for although they match, and the policy; and the policy of hosts
    /// that no rule is for, nil for none.
    package typealias RuleSet = (
        rules: [(hosts: [HostPattern], excluded: [HostPattern], policy: ServerTrustPolicy)],
        otherHosts: ServerTrustPolicy?
    )

    /// Creates a manager from sets of rules: the first set that has a policy for a host counts, and of two rules for the
    /// same host or pattern in a set the first.
    package init(
        _ sets: [RuleSet], allHostsMustBeEvaluated: Bool, profile: TrustProfile?, maximumPathDepth: Int?,
        onPinFailure: (@Sendable (PinFailureReport) -> Void)?
    ) {
        let entries = sets.map { set in
            set.rules.flatMap { rule in rule.hosts.map { ("\($0)", rule.policy, rule.excluded) } }
        }
        policies = Dictionary(
            entries.flatMap { $0.map { ($0.0, $0.1) } }, uniquingKeysWith: { first, _ in first })
        self.allHostsMustBeEvaluated = allHostsMustBeEvaluated
        self.profile = profile
        self.maximumPathDepth = maximumPathDepth
        self.onPinFailure = onPinFailure
        unusableKeys = [:]
        indices = zip(entries, sets).map { PolicyIndex($0, otherHosts: $1.otherHosts) }
    }

    private static func unusable(_ keys: some Sequence<String>) -> [String: HostPatternError] {
        var unusable: [String: HostPatternError] = [:]
        for key in keys {
            // An address may be in brackets here.
            if (try? HostPattern(HostName.canonical(pattern: key))) != nil { continue }
            do throws(HostPatternError) { _ = try HostPattern(key) } catch { unusable[key] = error }
        }
        return unusable
    }

    /// Creates a manager that uses each set for each of its hosts. If two sets name the same host or pattern, the first
    /// one counts.
    public convenience init(
        pinSets: [PinSet], allHostsMustBeEvaluated: Bool = false, profile: TrustProfile? = nil,
        maximumPathDepth: Int? = nil, onPinFailure: (@Sendable (PinFailureReport) -> Void)? = nil
    ) {
        let rules = pinSets.map { ($0.hosts, $0.excludedHosts, ServerTrustPolicy.pinSet($0)) }
        self.init(
            [(rules, nil)], allHostsMustBeEvaluated: allHostsMustBeEvaluated, profile: profile,
            maximumPathDepth: maximumPathDepth, onPinFailure: onPinFailure)
    }

    /// Returns the policy for a host, or nil if none was given for it.
    open func serverTrustPolicy(forHost host: String) -> ServerTrustPolicy? {
        indices.lazy.compactMap { $0.policy(forHost: host) }.first
    }
}

/// Policies by host and pattern: found by a look-up for each label of a name, whatever their number.
private struct PolicyIndex {
    private struct Entry {
        let policy: ServerTrustPolicy
        let excludedHosts: [HostPattern]
    }

    private let entries: [String: Entry]
    private let otherHosts: ServerTrustPolicy?

    /// - Parameter entries: the first of those that name the same host or pattern counts, so that every run gives the same
    ///   result.
    init(_ entries: [(key: String, policy: ServerTrustPolicy, excluded: [HostPattern])], otherHosts: ServerTrustPolicy?)
    {
        self.entries = Dictionary(
            entries.map { (HostName.canonical(pattern: $0.key), Entry(policy: $0.policy, excludedHosts: $0.excluded)) },
            uniquingKeysWith: { first, _ in first })
        self.otherHosts = otherHosts
    }

    func policy(forHost host: String) -> ServerTrustPolicy? {
        let host = HostName.canonical(pattern: host)
        if let exact = policy(under: host, for: host) { return exact }
        // Addresses have no subdomains.
        guard case .name? = ReferenceIdentity(host) else { return otherHosts }
        var domain = Substring(host)
        var depth = 0
        while true {
            if depth == 1, let policy = policy(under: "*." + domain, for: host) { return policy }
            if let policy = policy(under: "**." + domain, for: host) { return policy }
            guard let dot = domain.firstIndex(of: ".") else { return otherHosts }
            domain = domain[domain.index(after: dot)...]
            depth += 1
        }
    }

    private func policy(under key: String, for host: String) -> ServerTrustPolicy? {
        guard let entry = entries[key], !entry.excludedHosts.contains(where: { $0.matches(host) }) else { return nil }
        return entry.policy
    }
}

extension ServerTrustPolicyManager {
    /// Returns the policy for a server: the host's own, or the default policy if hosts may have none.
    ///
    /// - Throws: `noRequiredEvaluator` if every host must have a policy.
    public func requiredPolicy(forHost host: String) throws(TrustFailure) -> ServerTrustPolicy {
        if let policy = serverTrustPolicy(forHost: host) { return policy }
        if allHostsMustBeEvaluated { throw TrustFailure(.noRequiredEvaluator, host: host, seen: []) }
        return .performDefaultEvaluation(validateHost: true)
    }

    /// Evaluates a server by its host's policy, as a session with this manager would.
    public func evaluate(_ trust: ServerTrust, host: String) -> ServerTrustResult {
        let trust = trust.with(self)
        do throws(TrustFailure) {
            return try requiredPolicy(forHost: host).evaluate(trust, host: host)
        } catch {
            return ServerTrustResult(
                ServerTrustResult.Findings(failure: error), about: trust, host: host,
                policy: "every host has to have a policy")
        }
    }
}

/// A server that did not match a pin set: the report of RFC 7469 §3.
public struct PinFailureReport: Sendable {
    /// The evaluation: both chains, the keys found, the time.
    public let result: ServerTrustResult
    /// The rule that the server broke.
    public let failure: TrustFailure
    /// The server's port.
    public let port: UInt16
    /// The pin set that did not match.
    public let pinSet: PinSet
    /// Whether the connection was refused for this reason.
    public let isRefused: Bool

    /// - Returns: nil if the server matched the set, or the set has expired.
    public init?(_ answered: ServerTrustResult, port: UInt16, pinSet: PinSet) {
        self.init(answered, port: port, pinSet: pinSet, isRehearsed: false)
    }

    /// - Parameter isRehearsed: whether the verdict is that of a rehearsal, which refuses nothing.
    package init?(_ answered: ServerTrustResult, port: UInt16, pinSet: PinSet, isRehearsed: Bool) {
        // A delegate's decision about a verdict does not concern pins.
        let result = answered.policyVerdict ?? answered
        if result.isChainValidated {
            // With several sets, the report names the pins of this one.
            guard !pinSet.isExpired(at: result.time), !pinSet.matches(result.verifiedChain) else { return nil }
            failure = TrustFailure(
                .keyNotPinned(pins: pinSet.allPins), host: result.host, seen: result.verifiedChain)
        } else {
            guard let failure = result.failure ?? result.waived else { return nil }
            self.failure = failure
        }
        self.result = result
        self.port = port
        self.pinSet = pinSet
        isRefused = !isRehearsed && !result.isAccepted
    }
}
