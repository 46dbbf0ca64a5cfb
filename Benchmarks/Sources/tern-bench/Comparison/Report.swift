// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// All figures of a comparison.
struct Report: JSONReport {
    let machine = Machine.current
    let date: Date
    let rounds: Int
    let secondsPerRun: Double
    let rows: [Row]
    /// What else the machine did. If that was much, no goal is judged.
    let load: MachineLoad
    let goals: [Goal]
    /// Peers that could not be measured, and why.
    let skipped: [String]
    /// Runs that failed.
    let failures: [String]

    init(
        rounds: Int, secondsPerRun: Double, rows: [Row], load: MachineLoad, further: FurtherGoals.Result = .init(),
        skipped: [String],
        failures: [String]
    ) {
        date = Date()
        self.rounds = rounds
        self.secondsPerRun = secondsPerRun
        self.rows = rows
        self.load = load
        self.skipped = skipped + further.skipped
        self.failures = failures + further.failures
        let goals = rows.compactMap(Self.goal) + Self.peerGoals(rows) + further.goals
        self.goals = load.isHigh ? goals.map(\.unjudged) : goals
    }

    /// What newcomers write costs no more than what people use elsewhere. hyper's client knows http alone, so its
    /// connections stand for it over https.
    private static func peerGoals(_ rows: [Row]) -> [Goal] {
        let limits: [(own: Peer, other: Peer, limit: Double)] = [
            (.ternRuntime, .hyperClient, 0.95), (.ternRuntime, .hyperConnection, 0.95), (.ternPlain, .reqwest, 1),
            (.ternPlainChain, .ternPlain, 1.2), (.ternRuntimeChain, .reqwest, 1),
            (.ternDelegate, .hyperClient, 0.85), (.ternDelegate, .hyperConnection, 1),
        ]
        return Scenario.Scheme.allCases.flatMap { scheme in
            let scenario = Scenario(scheme: scheme, body: .small, connections: 64)
            let rows = rows.filter { $0.scenario == scenario }
            return limits.compactMap { own, other, limit -> Goal? in
                if [.hyperClient, .hyperConnection].contains(other), (other == .hyperClient) == (scheme == .https) {
                    return nil
                }
                guard let row = rows.first(where: { $0.client == own }) else { return nil }
                guard let peer = rows.first(where: { $0.client == other }) else { return nil }
                return Goal(
                    "\(scenario.title), \(own.title): CPU × \(other.title)",
                    row.errors == 0 ? row.runs.ratio(to: [peer.runs], \.cpuMicrosecondsPerRequest) : nil, atMost: limit)
            }
        }
    }

    /// What is wanted of a row; nil where nothing is, as of peers. A row with errors reaches nothing.
    private static func goal(_ row: Row) -> Goal? {
        guard let limit = limit(row) else { return nil }
        return Goal(
            "\(row.scenario.title), \(row.client.title): CPU × \(row.scenario.baseline.title)",
            row.errors == 0 ? row.cpuRatio : nil, atMost: limit)
    }

    private static func limit(_ row: Row) -> Double? {
        switch (row.scenario.body, row.scenario.connections, row.client) {
        case (.small, 64, .ternReactor): row.scenario.scheme == .http ? 1.05 : 1
        case (.small, 1, .ternPlain): row.scenario.scheme == .http ? 1.8 : nil
        case (.small, 64, .ternChain): row.scenario.scheme == .http ? 2 : nil
        case (.small, 1000, .ternReactor): 1.3
        case (.large, _, .ternReactor), (.large, _, .ternDelegate), (.large, _, .ternRuntime): 1
        case (.large, _, .ternPlain): 1.05
        default: nil
        }
    }
}
