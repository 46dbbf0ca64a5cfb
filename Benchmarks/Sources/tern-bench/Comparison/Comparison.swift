// SPDX-License-Identifier: Apache-2.0
// One round is every client once, in every scenario; then the next round. A disturbance of the machine so hits neighbours
// alike, and the median over the rounds drops it.

internal import Foundation

/// The runs behind a report.
struct Comparison {
    let rounds: Int
    let warmUpSeconds: Double
    let seconds: Double
    let peers: [Peer]
    let scenarios: [Scenario]

    /// Runs everything, one client at a time. Progress and skipped peers go to standard error.
    func run() throws -> Report {
        let server = try BenchmarkServer()
        let script = server.folder.appending(path: "wrk.lua").path
        try Data(WrkClient.script.utf8).write(to: URL(fileURLWithPath: script))
        var report = Report(rounds: rounds, secondsPerRun: seconds)
        let obstacles = findObstacles()
        report.skipped = obstacles.map { "\($0.scheme), \($0.peer.title): \($1)" }.sorted()
        for line in report.skipped { Self.note("skipped: \(line)") }
        for round in 1...max(1, rounds) {
            for scenario in scenarios {
                for peer in peers where obstacles[Place(peer: peer, scheme: scenario.scheme)] == nil {
                    Self.note("round \(round) of \(rounds): \(scenario.name), \(peer.title)")
                    let load = load(scenario, on: server)
                    do {
                        report.add(try measure(peer, load, script: script), of: peer, in: scenario)
                    } catch {
                        report.failures.append("\(scenario.name), \(peer.title): \(error)")
                    }
                }
            }
        }
        return report
    }

    private struct Place: Hashable {
        let peer: Peer
        let scheme: Scenario.Scheme
    }

    private func findObstacles() -> [Place: String] {
        var obstacles: [Place: String] = [:]
        for scheme in Scenario.Scheme.allCases where scenarios.contains(where: { $0.scheme == scheme }) {
            for peer in peers { obstacles[Place(peer: peer, scheme: scheme)] = peer.obstacle(over: scheme) }
        }
        return obstacles
    }

    private func load(_ scenario: Scenario, on server: BenchmarkServer) -> Load {
        Load(
            url: server.url(of: scenario), authority: server.authorityPath, connections: scenario.connections,
            bodySize: scenario.body.size, warmUpSeconds: warmUpSeconds, seconds: seconds)
    }

    private func measure(_ peer: Peer, _ load: Load, script: String) throws -> Measurement {
        if peer == .wrk { return try WrkClient.measure(load, scriptPath: script) }
        let text = String(decoding: try JSONEncoder().encode(load), as: UTF8.self)
        var command = [
            try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"), "client", peer.rawValue, text,
        ]
        if peer == .urlSession, load.url.hasPrefix("https") {
            command = try AuthorityNamespace.command(command, authority: load.authority)
        }
        let child = try ChildProcess(command[0], Array(command.dropFirst()))
        let ended = try child.waitForEnd()
        guard ended.succeeded else { throw PeerUnavailable(reason: "its process failed; see its messages above") }
        return try JSONDecoder().decode(Measurement.self, from: Data(ended.output.utf8))
    }

    private static func note(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
}
