// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import CCurlMulti
internal import Foundation
internal import Glibc

/// The hidden subcommand in which every client has a process of its own, so that its CPU time is its own.
struct RunClient: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client", abstract: "Runs one client and prints its measurement as JSON.", shouldDisplay: false)

    @Argument(help: "The client.") var peer: Peer
    @Argument(help: "The load, as JSON.") var load: Load

    func run() async throws {
        // A client that hangs is to be seen, not waited for: the signal ends the process.
        alarm(UInt32((load.warmUpSeconds + load.seconds) * 5) + 20)
        if let greeting = load.greetingLoad, let client = try await peer.makeClient(greeting) {
            _ = await client.run(until: monotonic_nanoseconds())
        }
        let memoryBefore = PeakMemory.bytes()
        guard let client = try await peer.makeClient(load) else {
            throw PeerUnavailable(reason: "\(peer) is no client")
        }
        if load.warmUpSeconds > 0 {
            _ = await client.run(until: monotonic_nanoseconds() + UInt64(load.warmUpSeconds * 1e9))
        }

        let before = ResourceUsage.own
        let begin = monotonic_nanoseconds()
        let tally = await client.run(until: begin + UInt64(load.seconds * 1e9))
        let end = monotonic_nanoseconds()
        let after = ResourceUsage.own

        let measurement = Measurement(
            requests: tally.requests, errors: tally.errors, seconds: Double(end - begin) / 1e9,
            userMicroseconds: after.userMicroseconds - before.userMicroseconds,
            systemMicroseconds: after.systemMicroseconds - before.systemMicroseconds,
            residentBytes: memoryBefore.flatMap { before in PeakMemory.bytes().map { $0 - before } },
            p50Microseconds: tally.latencies.microseconds(atShare: 0.5),
            p90Microseconds: tally.latencies.microseconds(atShare: 0.9),
            p99Microseconds: tally.latencies.microseconds(atShare: 0.99))
        print(String(decoding: try JSONEncoder().encode(measurement), as: UTF8.self))
        // Clients are not shut down: their time is over, and the process with it.
        Self.exit()
    }
}

extension Peer: ExpressibleByArgument {}

extension Load: ExpressibleByArgument {
    init?(argument: String) {
        guard let load = try? JSONDecoder().decode(Load.self, from: Data(argument.utf8)) else { return nil }
        self = load
    }
}
