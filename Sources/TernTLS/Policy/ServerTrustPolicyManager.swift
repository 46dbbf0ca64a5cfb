// SPDX-License-Identifier: Apache-2.0

/// Which policy belongs to which host.
///
/// A key is a host, or a pattern: `*.example.com` stands for exactly one label more, `**.example.com` for
/// `example.com` and everything below it. The host itself comes first, then the longest pattern, and `*.` before
/// `**.` where both name the same domain. Keys and hosts are compared in lower case and without a trailing dot.
///
/// Open, as in Alamofire 4, for subclasses that choose by other rules. Sendable because all it stores is immutable; a
/// subclass has to keep to that, for it is asked from any thread.
open class ServerTrustPolicyManager: @unchecked Sendable {
    /// The policies by host or pattern, as they were given.
    public let policies: [String: ServerTrustPolicy]
    private let canonical: [String: ServerTrustPolicy]

    public init(policies: [String: ServerTrustPolicy]) {
        self.policies = policies
        // Two spellings of one host: the first in alphabetical order wins, so that no run differs from another.
        canonical = Dictionary(
            policies.sorted { $0.key < $1.key }.map { (HostName.canonical($0.key), $0.value) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The policy for a host, or nil if none was given for it.
    open func serverTrustPolicy(forHost host: String) -> ServerTrustPolicy? {
        let host = HostName.canonical(host)
        if let exact = canonical[host] { return exact }
        guard case .name? = ReferenceIdentity(host) else { return nil }  // Addresses have no subdomains.
        var domain = Substring(host)
        var depth = 0
        while true {
            if depth == 1, let policy = canonical["*." + domain] { return policy }
            if let policy = canonical["**." + domain] { return policy }
            guard let dot = domain.firstIndex(of: ".") else { return nil }
            domain = domain[domain.index(after: dot)...]
            depth += 1
        }
    }
}
