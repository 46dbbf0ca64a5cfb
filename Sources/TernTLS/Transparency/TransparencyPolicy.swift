// SPDX-License-Identifier: Apache-2.0

/// How many logs must have promised to publish a certificate (Certificate Transparency, RFC 6962), and which logs count.
///
/// The certificate complies if the timestamps in it do, or else those that the server sends and staples. It is for the
/// certificates of public authorities: those of a private one are in no log.
public struct TransparencyPolicy: Sendable, Hashable {
    /// The effect of a certificate that does not comply. An invalid chain is refused in either mode.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// The connection is refused.
        case enforce
        /// The connection is accepted, and ``ServerTrustResult/waived`` says what is missing.
        case reportOnly
    }

    /// Whose rules count.
    package enum Rules: String, Sendable, Hashable, CaseIterable { case chrome, apple }

    let rules: Rules
    /// The name of the rules, for people.
    public var name: String {
        switch rules {
        case .chrome: "Chrome"
        case .apple: "Apple"
        }
    }
    /// The logs that are known; nil for those of the session, ``TLSSettings/transparencyLogs``. Without either, no server
    /// complies.
    public var logs: TransparencyLogList?
    /// The effect of a certificate that does not comply.
    public var mode: Mode
    /// Whether a server is refused while the list is older than ``maximumListAge``. Otherwise the policy has no effect
    /// then: an application that is no longer updated should connect rather than trust logs of long ago.
    public var requiresFreshList: Bool
    /// The age in seconds up to which the list is relied on; 70 days, as in Chrome, unless set.
    public var maximumListAge = usualListAge

    package static let usualListAge: Int64 = 70 * 86400

    package init(
        rules: Rules, logs: TransparencyLogList? = nil, mode: Mode = .enforce, requiresFreshList: Bool = false
    ) {
        self.rules = rules
        self.logs = logs
        self.mode = mode
        self.requiresFreshList = requiresFreshList
    }

    /// The rules of Chrome.
    ///
    /// In the certificate: timestamps of two different logs, or of three if it is valid for more than 180 days; one of
    /// them is trusted at present, the others may have been retired after they signed. Or from the server or its staple:
    /// timestamps of two logs that are trusted at present. In either case the logs have at least two operators.
    public static func chrome(
        _ logs: TransparencyLogList? = nil, mode: Mode = .enforce, requiresFreshList: Bool = false
    ) -> TransparencyPolicy {
        TransparencyPolicy(rules: .chrome, logs: logs, mode: mode, requiresFreshList: requiresFreshList)
    }

    /// The rules of Apple's platforms (support article 103214): the counts of ``chrome(_:mode:requiresFreshList:)``, and
    /// - timestamps of two logs that are trusted at present suffice, one of them in the certificate and one beside it;
    /// - one that counts is of a log of RFC 6962, and not of a tiled one;
    /// - a certificate is valid for its last second, too: 180 days and a second need three.
    ///
    /// Apple publishes a list of its own.
    public static func apple(
        _ logs: TransparencyLogList? = nil, mode: Mode = .enforce, requiresFreshList: Bool = false
    ) -> TransparencyPolicy {
        TransparencyPolicy(rules: .apple, logs: logs, mode: mode, requiresFreshList: requiresFreshList)
    }

    /// The whole policy as bytes, which are the same for equal policies in every process, and differ for others.
    package var bytes: [[UInt8]] {
        [name, mode.rawValue, "\(requiresFreshList)", "\(maximumListAge)"].map { Array($0.utf8) }
            + [logs?.fingerprint ?? []]
    }

    /// Whether the list is too old to be relied on. A list of unknown age is relied on, unless the policy requires a
    /// fresh one.
    func isListOutdated(at time: Int64) -> Bool {
        guard let made = logs?.time else { return requiresFreshList }
        let (age, overflows) = time.subtractingReportingOverflow(made)
        return overflows ? time > made : age > maximumListAge
    }

    /// The last moment at which the list is not too old; nil if its age has no effect.
    var endOfList: Int64? {
        guard requiresFreshList, let made = logs?.time else { return nil }
        let (end, overflows) = made.addingReportingOverflow(maximumListAge)
        return overflows ? nil : end
    }
}

extension TransparencyPolicy: CustomStringConvertible {
    /// For example `certificate transparency by the rules of Chrome`.
    public var description: String {
        "certificate transparency by the rules of \(name)" + (mode == .reportOnly ? ", reported only" : "")
    }
}
