// SPDX-License-Identifier: Apache-2.0
import TernTLS

extension PolicyFile {
    /// A problem that will cause trouble later, or is hardly what the author meant.
    public struct Finding: Sendable, Hashable, CustomStringConvertible {
        /// A word for scripts, such as `no-backup-pin`, which stays the same.
        public let rule: String
        /// The path of what it is about, such as `pinSets[0].hosts[1]`.
        public let field: String
        /// The problem in a sentence.
        public let message: String

        /// `pinSets[0]: no backup pin: keep a key offline that can replace the ones in use`.
        public var description: String { "\(field): \(message)" }
    }

    /// All problems of the policy: those of each set (``TernTLS/PinSet/warnings(at:)``), a policy without sets, a key that
    /// two sets pin, and a host that one set pins although a pattern of another set covers it.
    ///
    /// - Parameter time: the time of the check, in seconds since 1970-01-01T00:00:00Z.
    public func findings(at time: Int64) -> [Finding] {
        var findings: [Finding] = []
        let list = version == 1 ? "pinSets" : "rules"
        if rules.isEmpty, unlistedRule == nil {
            let message =
                unlistedHosts == .refuse ? "no host is listed, so every server is refused" : "no host is pinned"
            findings.append(Finding(rule: "no-pin-sets", field: list, message: message))
        }
        // The first set of each key, and of each pattern that covers more than one host.
        var sets: [X509Certificate.PublicKey: Int] = [:]
        let index = PatternIndex(rules)
        for (number, rule) in rules.enumerated() {
            let field = "\(list)[\(number)]"
            findings +=
                rule.pinSetOfHosts?.warnings(at: time).map { warning in
                    Finding(rule: warning.rule, field: field, message: "\(warning)")
                } ?? []
            for key in Set(rule.pinSet?.allPins ?? []).sorted(by: { $0.pin < $1.pin }) {
                guard let first = sets[key] else {
                    sets[key] = number
                    continue
                }
                let message =
                    "\(key.pin) is pinned by \(list)[\(first)], too: whoever has its key can be either's server"
                findings.append(Finding(rule: "shared-pin", field: field, message: message))
            }
            for (place, host) in rule.hosts.enumerated() {
                guard let (pattern, other) = index.broader(than: host, of: number) else { continue }
                let message =
                    "\(host) has what this rule demands alone, although \(pattern) of \(list)[\(other)] covers it"
                findings.append(Finding(rule: "shadowed-host", field: "\(field).hosts[\(place)]", message: message))
            }
        }
        return findings
    }
}

/// The patterns of several rules, found by the hosts that they cover: a look-up for each label, whatever their number.
private struct PatternIndex {
    private var sets: [HostPattern: Int] = [:]
    private let all: [PolicyFile.Rule]

    init(_ rules: [PolicyFile.Rule]) {
        all = rules
        for (number, rule) in rules.enumerated() {
            for pattern in rule.hosts where pattern.scope != .exact {
                sets[pattern] = sets[pattern] ?? number
            }
        }
    }

    /// The nearest pattern of another rule that covers all of what `host` matches; rules that exclude it apart.
    func broader(than host: HostPattern, of number: Int) -> (pattern: HostPattern, set: Int)? {
        var domain = Substring(host.host)
        var depth = 0
        while true {
            for prefix in ["*.", "**."] {
                guard let pattern = try? HostPattern(prefix + domain), pattern != host, let other = sets[pattern],
                    other != number, covers(pattern, host, depth), !excludes(all[other], host)
                else { continue }
                return (pattern, other)
            }
            guard let dot = domain.firstIndex(of: ".") else { return nil }
            domain = domain[domain.index(after: dot)...]
            depth += 1
        }
    }

    private func excludes(_ rule: PolicyFile.Rule, _ host: HostPattern) -> Bool {
        rule.excludedHosts.contains(host)
            || host.scope == .exact && rule.excludedHosts.contains { $0.matches(host.host) }
    }

    /// - Parameter depth: how many labels more than the pattern's `host` has.
    private func covers(_ pattern: HostPattern, _ host: HostPattern, _ depth: Int) -> Bool {
        switch (pattern.scope, host.scope) {
        case (.anyDepth, .anyDepth): depth > 0
        case (.anyDepth, _): true
        case (.oneLabelBelow, .exact): depth == 1
        case (.oneLabelBelow, _), (.exact, _): false
        }
    }
}

extension PinSet.Warning {
    fileprivate var rule: String {
        switch self {
        case .noPins: "no-pins"
        case .onePin: "one-pin"
        case .noBackup: "no-backup-pin"
        case .repeatedPin: "repeated-pin"
        case .expired: "expired"
        case .expiresSoon: "expires-soon"
        case .reportsNowhere: "reports-nowhere"
        case .excludesItsHosts: "excludes-its-hosts"
        case .topLevelDomain: "top-level-domain"
        case .publicSuffix: "public-suffix"
        }
    }
}
