// SPDX-License-Identifier: Apache-2.0

extension PinSet {
    /// Problems of a pin set that will cause trouble later. They do not prevent its use: a check that stops the
    /// application would be an outage, too.
    public enum Warning: Sendable, Hashable {
        /// The set has no pins, so no server can match.
        case noPins
        /// If the only key is lost, no client can connect until the application is replaced.
        case onePin
        /// All pins are in use; none is a backup.
        case noBackup
        /// The same key is listed more than once, so there are fewer pins than it seems.
        case repeatedPin(X509Certificate.PublicKey)
        /// The set has expired, so its pins are ignored.
        case expired
        /// The set expires within this number of days, at most 30.
        case expiresSoon(days: Int)
        /// Mismatches are accepted, and the set has no URL to report them to.
        case reportsNowhere
        /// All hosts of the set are excluded, so that no host is pinned.
        case excludesItsHosts
        /// The pattern covers everything below a domain of one label, such as `**.com`: every host there must match the
        /// pins.
        case topLevelDomain(HostPattern)
    }

    /// - Parameter time: the time of the check, in seconds since 1970-01-01T00:00:00Z.
    public func warnings(at time: Int64) -> [Warning] {
        var warnings: [Warning] = []
        let distinct = Set(allPins)
        switch distinct.count {
        case 0: warnings.append(.noPins)
        case 1: warnings.append(.onePin)
        default: if backupPins.isEmpty { warnings.append(.noBackup) }
        }
        warnings += distinct.filter { pin in allPins.count { $0 == pin } > 1 }.sorted { $0.pin < $1.pin }
            .map(Warning.repeatedPin)
        if isExpired(at: time) {
            warnings.append(.expired)
        } else if let (seconds, overflows) = expires?.subtractingReportingOverflow(time), !overflows,
            seconds <= 30 * 86400
        {
            warnings.append(.expiresSoon(days: Int(seconds / 86400)))
        }
        if mode == .reportOnly, reportURLs.isEmpty { warnings.append(.reportsNowhere) }
        if !hosts.isEmpty, hosts.allSatisfy(excludesAll(of:)) { warnings.append(.excludesItsHosts) }
        warnings += hosts.filter { $0.scope != .exact && !$0.host.utf8.contains(UInt8(ascii: ".")) }
            .map(Warning.topLevelDomain)
        return warnings
    }

    /// Whether one of the excluded patterns covers every host that `pattern` matches.
    private func excludesAll(of pattern: HostPattern) -> Bool {
        excludedHosts.contains { excluded in
            excluded == pattern
                || excluded.matches(pattern.host) && (pattern.scope == .exact || excluded.scope == .anyDepth)
        }
    }
}

extension PinSet.Warning: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noPins: "no key is pinned, so every server is refused"
        case .onePin: "only one key is pinned: if it is lost, no client can connect; pin a backup key"
        case .noBackup: "no backup pin: keep a key offline that can replace the ones in use"
        case .repeatedPin(let key): "\(key.pin) is listed more than once"
        case .expired: "expired: nothing is pinned any more"
        case .expiresSoon(let days): "expires within \(days + 1) days; nothing is pinned from then on"
        case .reportsNowhere: "mismatches are let through and reported to no URL"
        case .excludesItsHosts: "excludes all of its own hosts, so nothing is pinned"
        case .topLevelDomain(let pattern): "\(pattern) covers a whole top-level domain"
        }
    }
}
