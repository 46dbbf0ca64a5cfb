// SPDX-License-Identifier: Apache-2.0
import TernLock

/// The next policies of hosts, evaluated beside the present ones, which alone decide: before pins or authorities change.
///
/// Use it in place of the present manager. ``report`` then tells which of the hosts that sessions connected to the next
/// policies would refuse, and why; ``ServerTrustResult/rehearsed`` is the verdict about one connection. Servers are asked for
/// staples and timestamps if the next policies want them; responders and lists are asked for the present policies alone.
/// Each chain is validated by the rules of the manager whose policy it is: profile and depth of paths. Each full handshake
/// evaluates its chain twice.
///
/// Sendable because all its properties are immutable or locked.
public final class TrustRehearsal: ServerTrustPolicyManager, @unchecked Sendable {
    /// What the next policies say about the servers so far. A server is a host and a port; its name is the host, with the
    /// port after a colon unless that is 443.
    public struct Report: Sendable, Hashable {
        /// How many servers were evaluated.
        public let hosts: Int
        /// The servers that the present policies have accepted and the next would have refused, and the first reason of
        /// each.
        public let refused: [String: TrustFailure]
        /// Those of them that the next policies accepted when they were evaluated last.
        public let settled: Set<String>
        /// The servers that the present policies refused and the next accepted when they were evaluated last, and that
        /// are not among the refused.
        public let recovered: Set<String>

        /// Whether the next policies may be enforced: servers were evaluated, and none that is accepted would be refused.
        public var mayGoAhead: Bool { hosts > 0 && settled.isSuperset(of: refused.keys) }
    }

    /// The worst verdict about a server, and the last.
    private struct Outcome {
        /// Of one that the present policies accepted.
        var refusal: TrustFailure?
        var isRefusedNow = false
        var isAcceptedNext = false
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
        let policy = (try? next.requiredPolicy(forHost: host)) ?? .composite([])
        if next.profile == nil, next.maximumPathDepth == nil {
            return .rehearsal(of: policy, enforcing: enforced)
        }
        var rules = TrustRules()
        (rules.profile, rules.maximumPathDepth) = (next.profile, next.maximumPathDepth)
        return .rehearsal(of: .applying(rules, to: policy), enforcing: enforced)
    }

    /// Counts a verdict; one without a rehearsal does not count. Sessions do this for each of their connections. Any thread
    /// may call it.
    ///
    /// - Parameters:
    ///   - result: the verdict.
    ///   - port: the server's port.
    public func record(_ result: ServerTrustResult, port: UInt16 = 443) {
        guard let rehearsed = result.rehearsed else { return }
        // What a delegate decided does not concern policies.
        let isRefusedNow = !(result.policyVerdict ?? result).isAccepted
        let server =
            port == 443
            ? result.host : result.host.contains(":") ? "[\(result.host)]:\(port)" : "\(result.host):\(port)"
        outcomes.withLock { outcomes in
            guard outcomes[server] != nil || outcomes.count < Self.maximumHosts else { return }
            var outcome = outcomes[server] ?? Outcome()
            if !isRefusedNow, outcome.refusal == nil { outcome.refusal = rehearsed.failure }
            (outcome.isRefusedNow, outcome.isAcceptedNext) = (isRefusedNow, rehearsed.isAccepted)
            outcomes[server] = outcome
        }
    }

    /// What was recorded so far. Any thread may read it.
    public var report: Report {
        let outcomes = outcomes.withLock { $0 }
        return Report(
            hosts: outcomes.count, refused: outcomes.compactMapValues(\.refusal),
            settled: Set(outcomes.filter { $0.value.refusal != nil && $0.value.isAcceptedNext }.keys),
            recovered: Set(
                outcomes.filter { $0.value.refusal == nil && $0.value.isRefusedNow && $0.value.isAcceptedNext }.keys))
    }
}

extension TrustRehearsal.Report: CustomStringConvertible {
    /// One line, for example `the next policies would refuse 1 of 120 servers: a.example (key-not-pinned)`.
    public var description: String {
        var text = "the next policies would refuse \(refused.count) of \(hosts) server\(hosts == 1 ? "" : "s")"
        if !refused.isEmpty {
            let lines = refused.sorted { $0.key < $1.key }.map { server, failure in
                "\(server) (\(failure.rule)\(settled.contains(server) ? ", accepted since" : ""))"
            }
            text += ": " + lines.joined(separator: ", ")
        }
        if !recovered.isEmpty {
            text += "; they would accept \(recovered.sorted().joined(separator: ", ")), refused now"
        }
        return text
    }
}
