// SPDX-License-Identifier: Apache-2.0
// One round is every client once, in every scenario; then the next round. A disturbance of the machine so hits
// neighbours alike, and the median over the rounds drops it.

internal import Foundation

/// The runs behind a report.
struct Comparison {
    let rounds: Int
    let warmUpSeconds: Double
    let seconds: Double
    let clients: [Peer]
    let scenarios: [Scenario]
    /// What is measured behind the rounds; nil for nothing.
    var further: FurtherGoals?

    /// Runs everything, one client at a time. Progress and skipped peers go to standard error.
    func run() throws -> Report {
        let before = MachineLoad.share()
        let server = try BenchmarkServer()
        let script = server.folder.appending(path: "wrk.lua").path
        try Data(WrkClient.script.utf8).write(to: URL(fileURLWithPath: script))
        let obstacles = findObstacles()
        let skipped = obstacles.map { "\($0.scheme), \($0.client.title): \($1)" }.sorted()
        for line in skipped { Progress.note("skipped: \(line)") }
        var runs: [Scenario: [Peer: [Measurement]]] = [:]
        var failures: [String] = []
        for round in 1...max(1, rounds) {
            for scenario in scenarios {
                for client in clients
                where scenario.includes(client) && obstacles[Place(client: client, scheme: scenario.scheme)] == nil {
                    Progress.note("round \(round) of \(rounds): \(scenario.name), \(client.title)")
                    do {
                        let run = try measure(client, load(scenario, on: server), script: script)
                        runs[scenario, default: [:]][client, default: []].append(run)
                    } catch {
                        failures.append("\(scenario.name), \(client.title): \(error)")
                    }
                }
            }
        }
        let furtherResult = further?.measure() ?? .init()
        let load = MachineLoad(before: before, after: MachineLoad.share())
        return Report(
            rounds: rounds, secondsPerRun: seconds, rows: rows(of: runs), load: load, further: furtherResult,
            skipped: skipped, failures: failures)
    }

    private func rows(of runs: [Scenario: [Peer: [Measurement]]]) -> [Row] {
        scenarios.flatMap { scenario in
            var rows = clients.compactMap { client in
                runs[scenario]?[client].map { Row(scenario, client, $0) }
            }
            if let baseline = rows.first(where: { $0.client == scenario.baseline }) {
                for index in rows.indices { rows[index].compare(with: baseline) }
            }
            return rows
        }
    }

    private struct Place: Hashable {
        let client: Peer
        let scheme: Scenario.Scheme
    }

    private func findObstacles() -> [Place: String] {
        var obstacles: [Place: String] = [:]
        for scheme in Scenario.Scheme.allCases where scenarios.contains(where: { $0.scheme == scheme }) {
            for client in clients { obstacles[Place(client: client, scheme: scheme)] = client.obstacle(over: scheme) }
        }
        return obstacles
    }

    private func load(_ scenario: Scenario, on server: BenchmarkServer) -> Load {
        Load(
            url: server.url(of: scenario), authority: server.authorityPath, connections: scenario.connections,
            bodySize: scenario.body.size, warmUpSeconds: warmUpSeconds, seconds: seconds)
    }

    private func measure(_ client: Peer, _ load: Load, script: String) throws -> Measurement {
        if client == .wrk { return try WrkClient.measure(load, scriptPath: script) }
        if let program = ForeignClient(client) { return try program.measure(load) }
        return try ClientProcess.measure(client, load)
    }
}
