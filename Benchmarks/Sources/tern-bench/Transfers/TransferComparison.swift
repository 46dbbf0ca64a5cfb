// SPDX-License-Identifier: Apache-2.0
// Rounds as in the comparison of requests: every client once in every scenario, then the next round.

internal import Foundation

/// The runs behind the tables of transfers.
struct TransferComparison {
    let rounds: Int
    let warmUpSeconds: Double
    let seconds: Double
    let scenarios: [TransferScenario]

    /// The size of libcurl's receive buffer, in bytes: that of its upload buffer.
    private static let curlBuffer = 512 * 1024

    struct Result {
        var rows: [TransferRow] = []
        /// The coded size of the text, in bytes.
        var codedSize = 0
        var skipped: [String] = []
        var failures: [String] = []
    }

    /// Runs everything, one client at a time. Progress goes to standard error.
    func run() throws -> Result {
        let server = try BenchmarkServer()
        var result = Result()
        result.codedSize = try prepare(server)
        let curlObstacle = Peer.curlMulti.obstacle(over: .http)
        if let curlObstacle { result.skipped.append("\(Peer.curlMulti.title): \(curlObstacle)") }
        var runs: [TransferScenario: [TransferClient: [Measurement]]] = [:]
        for round in 1...max(1, rounds) {
            for scenario in scenarios {
                for client in scenario.clients where client.peer != .curlMulti || curlObstacle == nil {
                    Progress.note("round \(round) of \(rounds): \(scenario.title), \(client.title)")
                    do {
                        let load = try load(client, scenario, on: server, codedSize: result.codedSize)
                        let run = try ClientProcess.measure(client.peer, load)
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

    private func rows(
        of scenario: TransferScenario, _ runs: [TransferClient: [Measurement]]
    ) -> [TransferRow] {
        let rows = scenario.clients.compactMap { client in runs[client].map { TransferRow(scenario, client, $0) } }
        return rows.map { row in
            var row = row
            row.compare(with: rows)
            return row
        }
    }

    /// Puts there what is fetched and not there anyway. Returns the size of the coded text, 0 if nobody asks for it.
    private func prepare(_ server: BenchmarkServer) throws -> Int {
        for scenario in scenarios where scenario.connections > 1 {
            guard let path = scenario.path else { continue }
            try server.serve(Data(repeating: 0x54, count: scenario.size), at: path)
        }
        guard scenarios.contains(.decoding), let path = TransferScenario.decoding.path else { return 0 }
        Progress.note("compressing \(TransferScenario.decoding.size >> 20) MB")
        let coded = try GeneratedText.coded(GeneratedText.bytes(TransferScenario.decoding.size))
        try server.serve(coded, at: path)
        return coded.count
    }

    private func load(
        _ client: TransferClient, _ scenario: TransferScenario, on server: BenchmarkServer, codedSize: Int
    ) throws -> Load {
        let url = scenario.path.map { client == .zlib ? server.file(at: $0).absoluteString : server.url(at: $0) }
        var load = Load(
            url: url ?? server.uploadURL, authority: server.authorityPath, connections: scenario.connections,
            bodySize: scenario.size, warmUpSeconds: warmUpSeconds, seconds: seconds)
        load.curlReceiveBuffer = Self.curlBuffer
        switch scenario {
        case .uploadFromFile:
            load.upload = Upload(size: scenario.size, path: server.file(at: Scenario.Body.large.path).path)
        case .uploadFromMemory: load.upload = Upload(size: scenario.size)
        case .download: break
        case .decoding:
            load.decodesContent = !client.takesCoded
            if client.takesCoded { load.bodySize = codedSize }
        case .collectingMegabyte, .collectingTenMegabytes: load.collects = client != .curlDiscarding
        }
        if load.upload != nil { load.bodySize = Scenario.Body.small.size }
        return load
    }
}
