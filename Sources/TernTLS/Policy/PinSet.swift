// SPDX-License-Identifier: Apache-2.0

/// Public keys pinned for some hosts, with what it takes to live with pins: backups, an expiry date, and a mode that
/// only reports (after RFC 7469 and TrustKit).
///
/// Chain and host are always validated first; the pins come on top. A set is a value: to rotate pins, make a new one.
public struct PinSet: Sendable, Hashable {
    /// What a mismatch leads to. A chain that is not valid is refused in either mode.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// The connection is refused.
        case enforce
        /// The connection is accepted, and the mismatch told.
        case reportOnly
    }

    /// Which certificates of the verified chain a pin may match.
    public enum Scope: String, Sendable, Hashable, CaseIterable {
        /// Leaf, intermediate or root.
        case anyCertificate
        /// The server's own certificate alone.
        case leaf
    }

    /// The hosts the set is for. Only a manager made from pin sets looks at them.
    public var hosts: [HostPattern]
    /// Hosts that `hosts` would cover and that are not to be pinned.
    public var excludedHosts: [HostPattern]
    /// The keys in use.
    public var pins: [X509Certificate.PublicKey]
    /// Keys that are in no chain yet, for the day when those in use are lost. They match like any pin.
    public var backupPins: [X509Certificate.PublicKey]
    /// Which certificates a pin may match.
    public var scope: Scope
    /// What a mismatch leads to.
    public var mode: Mode
    /// From this moment on nothing is pinned: seconds since 1970-01-01T00:00:00Z, nil for never. An application that is
    /// not updated any more had better be able to connect than be safe from its own authority.
    public var expires: Int64?
    /// Where mismatches are reported to, as http or https URLs.
    public var reportURLs: [String]

    /// Without hosts, a set for whatever host a policy is made for with it. Without an expiry date, it is for ever.
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

    /// Whether the set is for `host`.
    public func covers(_ host: String) -> Bool {
        hosts.contains { $0.matches(host) } && !excludes(host)
    }

    /// Whether `host` is excluded from the set.
    public func excludes(_ host: String) -> Bool {
        excludedHosts.contains { $0.matches(host) }
    }

    /// Whether the pins count no more at `time`, in seconds since 1970-01-01T00:00:00Z.
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
    /// Such as `pin set of 2 keys, enforced until 2030-01-01T00:00:00Z`.
    public var description: String {
        let count = Set(allPins).count
        let text =
            "pin set of \(count) key\(count == 1 ? "" : "s"), " + (mode == .enforce ? "enforced" : "reported only")
        return expires.map { text + " until " + Timestamp.text($0) } ?? text
    }
}
