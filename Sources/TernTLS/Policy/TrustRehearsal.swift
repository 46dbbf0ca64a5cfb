// SPDX-License-Identifier: Apache-2.0
import TernLock

/// The next policies of hosts, evaluated beside the present ones, which alone decide: before pins or authorities change.
///
/// Use it in place of the present manager. ``report`` then tells which of the hosts that sessions connected to the next
/// policies would refuse, and why; ``ServerTrustResult/rehearsed`` is the verdict about one connection. Servers are asked for
/// staples and timestamps if the next policies want them; responders and lists are asked for the present policies alone, and
/// chains are validated by the profile of the present manager. Each full handshake evaluates its chain twice.
///
/// Sendable because all its properties are immutable or locked.
public final class TrustRehearsal: ServerTrustPolicyManager, @unchecked Sendable {
    /// What the next policies say about the hosts so far.
    public struct Report: Sendable, Hashable {
        /// How many hosts were evaluated.
        public let hosts: Int
        /// The hosts that the present policies accept and the next refuse, and the first reason of each.
        public let refused: [String: TrustFailure]
        /// The hosts that the present policies refuse and the next accept.
        public let recovered: Set<String>
    }

    /// A host whose servers differ has the first refusal of each.
    private struct Outcome {
        var refusal: TrustFailure?
        var isRefusedNow = false
    }

    /// The maximum number of hosts that a report has; later ones are not counted. An application that connects to any host
    /// that a peer names must not fill its memory.
    public static let maximumHosts = 10_000

    /// The policies that are rehearsed.
    public let next: ServerTrustPolicyManager
    /// The policies that decide.
    public let present: ServerTrustPolicyManager
    private let outcomes = Lock<[String: Outcome]>([:])

    /// Creates a manager that decides as `present` does.
    ///
    /// - Parameters:
    ///   - next: the policies that are evaluated besides.
    ///   - present: the policies that decide; by default, the default evaluation for every host.
    public init(
        of next: ServerTrustPolicyManager,
        enforcing present: ServerTrustPolicyManager = ServerTrustPolicyManager(policies: [:])
    ) {
        (self.next, self.present) = (next, present)
        super.init(
            policies: [:], allHostsMustBeEvaluated: present.allHostsMustBeEvaluated, profile: present.profile,
            maximumPathDepth: present.maximumPathDepth, onPinFailure: present.onPinFailure)
    }

    /// The present policy for the host, with the next one beside it.
    public override func serverTrustPolicy(forHost host: String) -> ServerTrustPolicy? {
        guard let enforced = try? present.requiredPolicy(forHost: host) else { return nil }
        // A host that must have a policy and has none is refused.
        return .rehearsal(of: (try? next.requiredPolicy(forHost: host)) ?? .composite([]), enforcing: enforced)
    }

    /// Counts a verdict; one without a rehearsal does not count. Sessions do this for each of their connections. Any thread
    /// may call it.
    public func record(_ result: ServerTrustResult) {
        guard let rehearsed = result.rehearsed else { return }
        // What a delegate decided does not concern policies.
        let isRefusedNow = !(result.policyVerdict ?? result).isAccepted
        outcomes.withLock { outcomes in
            guard outcomes[result.host] != nil || outcomes.count < Self.maximumHosts else { return }
            var outcome = outcomes[result.host] ?? Outcome()
            if outcome.refusal == nil { outcome.refusal = rehearsed.failure }
            outcome.isRefusedNow = outcome.isRefusedNow || isRefusedNow
            outcomes[result.host] = outcome
        }
    }

    /// What was recorded so far. Any thread may read it.
    public var report: Report {
        let outcomes = outcomes.withLock { $0 }
        return Report(
            hosts: outcomes.count,
            refused: outcomes.filter { !$0.value.isRefusedNow }.compactMapValues(\.refusal),
            recovered: Set(outcomes.filter { $0.value.isRefusedNow && $0.value.refusal == nil }.keys))
    }
}

extension TrustRehearsal.Report: CustomStringConvertible {
    /// One line, for example `the next policies would refuse 1 of 120 hosts: a.example (key-not-pinned)`.
    public var description: String {
        var text = "the next policies would refuse \(refused.count) of \(hosts) host\(hosts == 1 ? "" : "s")"
        if !refused.isEmpty {
            text += ": " + refused.sorted { $0.key < $1.key }.map { "\($0) (\($1.rule))" }.joined(separator: ", ")
        }
        if !recovered.isEmpty {
            text += "; they would accept \(recovered.sorted().joined(separator: ", ")), refused now"
        }
        return text
    }
}
