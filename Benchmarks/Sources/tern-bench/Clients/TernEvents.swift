// SPDX-License-Identifier: Apache-2.0

internal import CCurlMulti
internal import TernEngine

/// Tern's server-sent events.
struct TernEvents: BenchmarkClient {
    private let load: Load
    private let session: Session
    private let request: URLRequest
    private let executor: (any TaskExecutor)?

    /// Tasks on the global executor.
    init(_ load: Load) throws { try self.init(load, onReactor: false) }

    init(_ load: Load, onReactor: Bool) throws {
        self.load = load
        session = Session(configuration: try TernSetup.configuration(load))
        request = try TernSetup.request(load)
        executor = onReactor ? session.executors.first : nil
    }

    func run(until deadline: UInt64) async -> Tally {
        await runLoops(load, on: executor) {
            var tally = Tally()
            repeat { await follow(&tally) } while tally.goesOn(at: monotonic_nanoseconds(), until: deadline)
            return tally
        }
    }

    /// One stream from its beginning to its end.
    private func follow(_ tally: inout Tally) async {
        let before = tally.requests
        do {
            for try await event in session.events(for: request, reconnection: .never) {
                tally.record(event: event.data[...], at: monotonic_nanoseconds())
            }
        } catch {
            tally.errors += 1
        }
        if tally.requests != before + UInt64(load.bodySize) { tally.errors += 1 }
    }
}
