// SPDX-License-Identifier: Apache-2.0

/// Public keys pinned for some hosts, with backup pins, an expiry date, and a mode that only reports (after RFC 7469
/// and TrustKit).
///
/// Chain and host are always validated first; the pins are an additional check. A set is a value: to rotate pins,
/// create a new one.
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
