// SPDX-License-Identifier: Apache-2.0
import TernSystem

/// Public keys pinned for some hosts, with backup pins, an expiry date, and a mode that only reports (after RFC 7469
/// and TrustKit).
///
/// Chain and host are validated first, unless ``validatesChain`` is false; the pins are an additional check. A set is a
/// value: to rotate pins, create a new one.
public struct PinSet: Sendable, Hashable {
    /// The effect of a mismatch. An invalid chain is refused in either mode.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// The connection is refused.
        case enforce
        /// The connection is accepted, and the mismatch is reported.
        case reportOnly
    }

    /// The certificates of the verified chain that a pin may match.
    public enum Scope: String, Sendable, Hashable, CaseIterable {
        /// Leaf, intermediate or root.
        case anyCertificate
        /// The server's own certificate only.
        case leaf
    }

    /// The hosts that the set is for. Only a manager created from pin sets uses them.
    public var hosts: [HostPattern]
    /// Hosts that match `hosts` but are not pinned.
    public var excludedHosts: [HostPattern]
    /// The keys in use.
    public var pins: [X509Certificate.PublicKey]
    /// Backup keys that are in no chain yet, for the case that the keys in use are lost. They match like any pin.
    public var backupPins: [X509Certificate.PublicKey]
    /// The certificates that a pin may match.
    public var scope: Scope
    /// The effect of a mismatch.
    public var mode: Mode
    /// The time from which on the set is ignored, in seconds since 1970-01-01T00:00:00Z; nil for never. An expiry date
    /// lets an application that is no longer updated connect after its keys have been replaced.
    public var expires: Int64?
    /// The http or https URLs that mismatches are reported to.
    public var reportURLs: [String]
    /// Whether chain and host are validated before the pins are compared; true unless set. Without that, the pins are
    /// compared with the leaf and the authorities whose keys really signed it: only the scope ``Scope/leaf`` is safe,
    /// and ``expires`` has no effect, because nothing would be left to check.
    public var validatesChain = true

    /// The whole set as bytes, which are the same for equal sets in every process, and differ for others. Every field is
    /// in it.
    package var bytes: [[UInt8]] {
        let values = [
            scope.rawValue, mode.rawValue, expires.map { "\($0)" } ?? "never", "\(validatesChain)",
            "\(hosts.count) \(excludedHosts.count) \(pins.count) \(backupPins.count) \(reportURLs.count)",
        ]
        let texts = values + (hosts + excludedHosts).map(\.description) + reportURLs
        return texts.map { Array($0.utf8) } + allPins.map(\.sha256)
    }

    /// Creates a pin set. Without hosts, it applies to every host of a policy that uses it. Without an expiry date, it
    /// never expires.
    public init(
        hosts: [HostPattern] = [], excludedHosts: [HostPattern] = [], pins: [X509Certificate.PublicKey],
        backupPins: [X509Certificate.PublicKey] = [],
        scope: Scope = .anyCertificate, mode: Mode = .enforce, expires: Int64? = nil, reportURLs: [String] = []
    ) {
        self.hosts = hosts
        self.excludedHosts = excludedHosts
        self.pins = pins
        self.backupPins = backupPins
        self.scope = scope
        self.mode = mode
        self.expires = expires
        self.reportURLs = reportURLs
    }

    /// Whether the set applies to `host`.
    public func covers(_ host: String) -> Bool {
        hosts.contains { $0.matches(host) } && !excludes(host)
    }

    /// Whether `host` is excluded from the set.
    public func excludes(_ host: String) -> Bool {
        excludedHosts.contains { $0.matches(host) }
    }

    /// Whether the set has expired at `time`, in seconds since 1970-01-01T00:00:00Z.
    public func isExpired(at time: Int64) -> Bool {
        expires.map { $0 <= time } ?? false
    }

    /// Backups included.
    package var allPins: [X509Certificate.PublicKey] { pins + backupPins }

    func matches(_ chain: [X509Certificate]) -> Bool {
        switch scope {
        case .anyCertificate: chain.contains { allPins.contains($0.publicKey) }
        case .leaf: chain.first.map { allPins.contains($0.publicKey) } ?? false
        }
    }
}

extension PinSet: CustomStringConvertible {
    /// For example `pin set of 2 keys, enforced until 2030-01-01T00:00:00Z`.
    public var description: String {
        let count = Set(allPins).count
        let text =
            "pin set of \(count) key\(count == 1 ? "" : "s"), " + (mode == .enforce ? "enforced" : "reported only")
        return expires.map { text + " until " + Timestamp.text($0) } ?? text
    }
}

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
        /// The pattern covers every domain below one in which anyone may register a name, such as `**.co.uk` or
        /// `*.github.io`, by the system's list of public suffixes.
        case publicSuffix(HostPattern)
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
        warnings += hosts.filter { $0.scope != .exact && $0.host.utf8.contains(UInt8(ascii: ".")) }
            .filter { PublicSuffixList.system?.contains($0.host) ?? false }.map(Warning.publicSuffix)
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
        case .publicSuffix(let pattern):
            "\(pattern) covers the domains of others: anyone may register a name below \(pattern.host)"
        }
    }
}
