// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// All figures about TLS.
struct TLSReport: JSONReport {
    let machine = Machine.current
    let date: Date
    let rounds: Int
    let secondsPerRun: Double
    let handshakes: [HandshakeRow]
    /// Small requests and large bodies on kept-alive connections.
    let requests: [Row]
    let policies: [PolicyRates.Row]
    let contexts: ContextCost
    let goals: [Goal]
    let skipped: [String]
    let failures: [String]

    init(
        rounds: Int, secondsPerRun: Double, handshakes: HandshakeComparison.Result, requests: Report,
        policies: [PolicyRates.Row], contexts: ContextCost
    ) {
        date = Date()
        self.rounds = rounds
        self.secondsPerRun = secondsPerRun
        self.handshakes = handshakes.rows
        self.requests = requests.rows
        self.policies = policies
        self.contexts = contexts
        skipped = handshakes.skipped + requests.skipped
        failures = handshakes.failures + requests.failures
        goals = Self.goals(handshakes.rows, requests.rows, policies, contexts)
    }

    private static func goals(
        _ handshakes: [HandshakeRow], _ requests: [Row], _ policies: [PolicyRates.Row], _ contexts: ContextCost
    ) -> [Goal] {
        func handshake(_ kind: Handshakes, _ connections: Int) -> HandshakeRow? {
            handshakes.first {
                $0.client == .tern && $0.scenario.handshakes == kind && $0.scenario.connections == connections
            }
        }
        func request(_ body: Scenario.Body, _ connections: Int) -> Row? {
            requests.first {
                $0.client == .ternReactor && $0.scenario.body == body && $0.scenario.connections == connections
            }
        }
        func cost(_ policy: String) -> Double? { policies.first { $0.policy == policy }?.microseconds }
        let pin = cost(PolicyRates.pinSetName).flatMap { set in cost(PolicyRates.defaultName).map { set - $0 } }
        let pinShare = pin.ratio(to: handshake(.new, 1)?.cpuMicroseconds).map { $0 * 100 }
        return [
            Goal("small GET, 1 connection: CPU × wrk", request(.small, 1)?.cpuRatio, atMost: 1.3),
            Goal("small GET, 64 connections: CPU × wrk", request(.small, 64)?.cpuRatio, atMost: 1.3),
            Goal("new handshake, 1 at a time: CPU × libcurl", handshake(.new, 1)?.cpuRatioToCurl, atMost: 1.2),
            Goal("new handshake, 16 at a time: CPU × libcurl", handshake(.new, 16)?.cpuRatioToCurl, atMost: 1.2),
            Goal("resumed handshake: CPU × openssl s_time", handshake(.resumed, 1)?.cpuRatioToOpenSSL, atMost: 1.1),
            Goal("a pin set adds to a new handshake, % of its CPU", pinShare, atMost: 5),
            Goal("context of a second session, CPU ms", contexts.furtherMilliseconds, atMost: 1),
            Goal("100 MB: throughput × libcurl", request(.large, 1)?.throughputRatio, atLeast: 1),
            Goal("100 MB: CPU × libcurl", request(.large, 1)?.cpuRatio, atMost: 1),
        ]
    }
}
