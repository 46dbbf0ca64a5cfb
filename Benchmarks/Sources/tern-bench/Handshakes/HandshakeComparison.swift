// SPDX-License-Identifier: Apache-2.0
// Rounds as in the comparison of requests: every client once in every scenario, then the next round.

internal import Foundation

/// The runs behind the handshakes' tables.
struct HandshakeComparison {
    let rounds: Int
    let warmUpSeconds: Double
    let seconds: Double
    var scenarios = HandshakeScenario.all
    var clients = HandshakeClient.allCases

    struct Result {
        var rows: [HandshakeRow] = []
        var skipped: [String] = []
        var failures: [String] = []
    }

    /// Runs everything, one client at a time. Progress goes to standard error.
    func run() throws -> Result {
        let server = try BenchmarkServer()
        var result = Result()
        var runs: [HandshakeScenario: [HandshakeClient: [Measurement]]] = [:]
        for scenario in scenarios {
            for client in clients {
                guard let obstacle = client.obstacle(to: scenario) else { continue }
                result.skipped.append("\(scenario.title), \(client.title): \(obstacle)")
            }
        }
        for round in 1...max(1, rounds) {
            for scenario in scenarios {
                for client in clients where client.obstacle(to: scenario) == nil {
                    Progress.note("round \(round) of \(rounds): \(scenario.title), \(client.title)")
                    do {
                        let run = try measure(client, scenario, on: server)
                        runs[scenario, default: [:]][client, default: []].append(run)
                    } catch {
                        result.failures.append("\(scenario.title), \(client.title): \(error)")
                    }
                }
            }
        }
        result.rows = scenarios.flatMap { rows(of: $0, runs[$0] ?? [:]) }
        return result
    }

    private func rows(of scenario: HandshakeScenario, _ runs: [HandshakeClient: [Measurement]]) -> [HandshakeRow] {
        let rows = clients.compactMap { client in
            runs[client].map { HandshakeRow(scenario, client, $0) }
        }
        return rows.map { row in
            var row = row
            row.compare(with: rows)
            return row
        }
    }

    private func measure(
        _ client: HandshakeClient, _ scenario: HandshakeScenario, on server: BenchmarkServer
    ) throws -> Measurement {
        guard let peer = client.peer else {
            return try OpenSSLTime.measure(
                scenario.handshakes, at: server.closingAddress, authority: server.authorityPath, seconds: seconds)
        }
        var load = Load(
            url: server.url(of: scenario.handshakes), authority: server.authorityPath,
            connections: scenario.connections, bodySize: Handshakes.bodySize, warmUpSeconds: warmUpSeconds,
            seconds: seconds)
        load.handshakes = scenario.handshakes
        if client == .ternPinned { load.pin = server.pin }
        return try ClientProcess.measure(peer, load)
    }
}
