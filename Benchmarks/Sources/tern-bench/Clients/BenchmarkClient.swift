// SPDX-License-Identifier: Apache-2.0

internal import CCurlMulti

/// A client under measurement, in a process of its own. Every client verifies the server's certificate, keeps its
/// connections alive, discards bodies as they come, and reads the clock twice per request.
protocol BenchmarkClient: Sendable {
    /// Keeps `load.connections` requests in flight; begins none after the deadline (of `monotonic_nanoseconds`), and
    /// returns when the last one has ended. Called twice, to warm up and to be measured, or for the latter alone.
    func run(until deadline: UInt64) async -> Tally
}

extension BenchmarkClient {
    /// Runs `load.connections` loops as tasks, each of which sends one request after the other.
    ///
    /// - Parameter executor: Where the tasks run; nil for the global executor.
    func runLoops(
        _ load: Load, on executor: (any TaskExecutor)? = nil, _ loop: @escaping @Sendable () async -> Tally
    ) async -> Tally {
        await runLoops(over: Array(0..<load.connections), on: executor) { _ in await loop() }
    }

    /// The same over connections that are open.
    func runLoops<Connection: Sendable>(
        over connections: [Connection], on executor: (any TaskExecutor)? = nil,
        _ loop: @escaping @Sendable (Connection) async -> Tally
    ) async -> Tally {
        await withTaskGroup(of: Tally.self) { group in
            for connection in connections {
                group.addTask(executorPreference: executor) { await loop(connection) }
            }
            return await group.reduce(into: Tally()) { $0.add($1) }
        }
    }

    /// The loop of one connection: `fetch` returns status and body size.
    func loop(
        _ load: Load, until deadline: UInt64, _ fetch: () async throws -> (status: Int, size: Int)
    ) async -> Tally {
        var tally = Tally()
        var now = monotonic_nanoseconds()
        repeat {
            let begin = now
            let result = try? await fetch()
            now = monotonic_nanoseconds()
            tally.record(status: result?.status ?? 0, size: result?.size ?? 0, of: load, from: begin, to: now)
        } while tally.goesOn(at: now, until: deadline)
        return tally
    }
}
