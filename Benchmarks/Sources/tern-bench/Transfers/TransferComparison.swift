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
    /// What a file is called that is downloaded to.
    private static let downloaded = "downloaded"

    private struct Servers {
        let nginx: BenchmarkServer
        let streams: StreamServer
        let webSockets: WebSocketServer

        init() throws {
            nginx = try BenchmarkServer()
            streams = try StreamServer()
            webSockets = try WebSocketServer(serving: nginx.file(at: Scenario.Body.large.path))
        }
    }

    struct Result {
        var rows: [TransferRow] = []
        /// How many bytes are left of the text in each coding that was needed.
        var codedSizes: [ContentCoding: Int] = [:]
        var skipped: [String] = []
        var failures: [String] = []
    }

    /// Runs everything, one client at a time. Progress goes to standard error.
    func run() throws -> Result {
        let servers = try Servers()
        var result = Result()
        try prepare(servers.nginx)
        result.codedSizes = try serveText(on: servers.nginx)
        let obstacles = Peer.allCases.reduce(into: [Peer: String]()) { $0[$1] = $1.obstacle(over: .http) }
        for peer in Set(scenarios.flatMap(\.clients).map(\.peer)) {
            if let obstacle = obstacles[peer] { result.skipped.append("\(peer.title): \(obstacle)") }
        }
        var runs: [TransferScenario: [TransferClient: [Measurement]]] = [:]
        for round in 1...max(1, rounds) {
            for scenario in scenarios {
                for client in scenario.clients where obstacles[client.peer] == nil {
                    Progress.note("round \(round) of \(rounds): \(scenario.title), \(client.title)")
                    do {
                        if scenario.way == .toFile { servers.nginx.clearDisk(of: Self.downloaded) }
                        let load = load(client, scenario, on: servers, result.codedSizes)
                        let run =
                            client == .curlCommand
                            ? try CurlCommand.measure(load) : try ClientProcess.measure(client.peer, load)
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

    /// Puts there what is fetched, or sent, and not there anyway.
    private func prepare(_ server: BenchmarkServer) throws {
        for scenario in Set(scenarios) {
            switch scenario.way {
            case .collecting: try server.serve(Data(repeating: 0x54, count: scenario.size), at: scenario.path)
            case .discarding, .toFile, .fromFile, .form, .message:
                if !FileManager.default.fileExists(atPath: server.file(at: scenario.path).path) {
                    try server.serve(size: scenario.size, at: scenario.path)
                }
            case .fromMemory, .chunks, .decoding, .events, .echo: break
            }
        }
    }

    /// The text in each coding that is fetched. Returns the sizes.
    private func serveText(on server: BenchmarkServer) throws -> [ContentCoding: Int] {
        let coded = scenarios.filter { $0.coding != nil }
        let text = GeneratedText.bytes(coded.first?.size ?? 0)
        return try coded.reduce(into: [:]) { sizes, scenario in
            guard let coding = scenario.coding else { return }
            Progress.note("compressing \(text.count >> 20) MB with \(coding)")
            let body = try GeneratedText.coded(text, with: coding)
            try server.serve(body, at: scenario.path)
            sizes[coding] = body.count
        }
    }

    private func load(
        _ client: TransferClient, _ scenario: TransferScenario, on servers: Servers, _ codedSizes: [ContentCoding: Int]
    ) -> Load {
        let server = servers.nginx
        var load = Load(
            url: server.url(at: scenario.path, over: scenario.scheme), authority: server.authorityPath,
            connections: scenario.connections, bodySize: scenario.size,
            warmUpSeconds: scenario.isHuge ? 0 : warmUpSeconds, seconds: scenario.isHuge ? 0 : seconds)
        load.curlReceiveBuffer = Self.curlBuffer
        if client != .library { load.greeting = server.url(at: Scenario.Body.small.path, over: scenario.scheme) }
        switch scenario.way {
        case .discarding: break
        case .toFile: load.download = server.folder.appending(path: Self.downloaded).path
        case .fromFile, .form:
            load.upload = Upload(
                size: scenario.size, path: server.file(at: scenario.path).path, isForm: scenario.way == .form)
        case .fromMemory: load.upload = Upload(size: scenario.size)
        case .chunks: load.url = servers.streams.url(at: "/chunks")
        case .decoding(let coding):
            load.coding = coding
            load.decodesContent = !client.takesCoded
            if client.takesCoded { load.bodySize = codedSizes[coding] ?? 0 }
            if client == .library { load.url = server.file(at: scenario.path).absoluteString }
        case .collecting: load.collects = client != .curlDiscarding
        case .events:
            load.url = servers.streams.url(at: EventStream.path)
            load.followsEvents = true
        case .message where client == .ternReactorPlain: break
        case .message, .echo:
            load.url = servers.webSockets.url
            load.greeting = load.url
            load.messages = scenario.way == .message ? .asked : .echoed
        }
        if let upload = load.upload {
            load.bodySize = Scenario.Body.small.size
            load.url = server.uploadURL(of: upload.size, isForm: upload.isForm, over: scenario.scheme)
        }
        return load
    }
}
