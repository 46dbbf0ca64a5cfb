// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The goals that no row of the table speaks of: bodies had whole, resumed handshakes with a pin set, the decoder, idle
/// connections, and the command's start.
struct FurtherGoals {
    let rounds: Int
    let warmUpSeconds: Double
    let seconds: Double
    /// The command `tern`; without it its start is not measured.
    let command: String?

    struct Result {
        var goals: [Goal] = []
        var skipped: [String] = []
        var failures: [String] = []
    }

    /// Runs everything, one after the other. Progress goes to standard error.
    func measure() -> Result {
        var result = Result()
        for (name, part) in parts {
            do {
                try part(&result)
            } catch {
                result.failures.append("\(name): \(error)")
            }
        }
        return result
    }

    private var parts: [(String, (inout Result) throws -> Void)] {
        [
            ("bodies had whole", collecting), ("resumed handshakes", resumption), ("the decoder", parsing),
            ("idle connections", idleConnections), ("the command's start", coldStart),
        ]
    }

    private func collecting(_ result: inout Result) throws {
        let scenarios = TransferScenario.all.filter { $0.way == .collecting }
        let transfers = try TransferComparison(
            rounds: rounds, warmUpSeconds: warmUpSeconds, seconds: seconds, scenarios: scenarios
        ).run()
        result.goals += TransferReport(rounds: rounds, secondsPerRun: seconds, transfers).goals
        result.skipped += transfers.skipped
        result.failures += transfers.failures
    }

    private func resumption(_ result: inout Result) throws {
        let scenario = HandshakeScenario(handshakes: .resumed, connections: 1)
        let handshakes = try HandshakeComparison(
            rounds: rounds, warmUpSeconds: warmUpSeconds, seconds: seconds, scenarios: [scenario],
            clients: [.openSSL, .ternPinned]
        ).run()
        let pinned = handshakes.rows.first { $0.client == .ternPinned }
        result.goals.append(
            Goal(
                "resumed handshake with a pin set: CPU × openssl s_time",
                pinned?.errors == 0 ? pinned?.cpuRatioToOpenSSL : nil, atMost: 1.05))
        result.skipped += handshakes.skipped
        result.failures += handshakes.failures
    }

    private func parsing(_ result: inout Result) throws {
        Progress.note("the decoder")
        let messages = ParsedMessage.all.filter { $0.name == "nginx" }
        let report = try ParsingComparison(rounds: 101, nanosecondsPerTurn: 5_000_000, messages: messages).run()
        for row in report.rows {
            result.goals.append(
                Goal("\(row.title): time × \(report.peer)", row.speedup.map { 1 / $0 }, atMost: 1))
        }
    }

    private func idleConnections(_ result: inout Result) throws {
        Progress.note("idle connections")
        let size = try IdleConnections.measure(rounds: rounds)
        result.goals.append(Goal("idle TLS connection: memory, KB", size.map { $0 / 1024 }, atMost: 30))
    }

    private func coldStart(_ result: inout Result) throws {
        guard let command else {
            result.skipped.append("the command's start: no --command was given")
            return
        }
        let start = try ColdStart(command: command)
        for scheme in Scenario.Scheme.allCases {
            Progress.note("the command's start, \(scheme)")
            result.goals.append(
                Goal(
                    "tern get, \(scheme), once: CPU × curl", try start.cpuRatio(over: scheme, rounds: rounds * 4),
                    atMost: scheme == .http ? 1 : 0.5))
        }
    }
}
