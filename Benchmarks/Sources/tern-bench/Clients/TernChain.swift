// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import CCurlMulti
internal import Synchronization
internal import Tern

/// Tern as Alamofire's users write it: `request(…).validate().responseData { … }`; large bodies by `stream`.
struct TernChain: BenchmarkClient {
    private let load: Load
    private let manager: SessionManager

    init(_ load: Load) throws {
        self.load = load
        manager = SessionManager(configuration: try TernSetup.configuration(load))
    }

    func run(until deadline: UInt64) async -> Tally {
        await runLoops(load) {
            await withCheckedContinuation { done in
                Chain(manager, load, deadline) { done.resume(returning: $0) }.begin()
            }
        }
    }
}

extension TernChain {
    /// One connection's requests: each begins in the handler of the one before.
    private final class Chain: @unchecked Sendable {
        // Touched by one handler after the other.
        private let manager: SessionManager
        private let load: Load
        private let deadline: UInt64
        private let done: (Tally) -> Void
        private var tally = Tally()
        private var begun: UInt64 = 0
        private var size = 0

        init(_ manager: SessionManager, _ load: Load, _ deadline: UInt64, _ done: @escaping (Tally) -> Void) {
            self.manager = manager
            self.load = load
            self.deadline = deadline
            self.done = done
        }

        func begin() {
            (begun, size) = (monotonic_nanoseconds(), 0)
            let request = manager.request(load.url).validate()
            if load.isLarge {
                request.stream { self.size += $0.count }.response { self.complete($0.response, $0.error) }
            } else {
                request.responseData { response in
                    self.size = response.data?.count ?? 0
                    self.complete(response.response, response.error)
                }
            }
        }

        private func complete(_ response: HTTPURLResponse?, _ error: (any Error)?) {
            let end = monotonic_nanoseconds()
            let status = error == nil ? response?.statusCode ?? 0 : 0
            tally.record(status: status, size: size, of: load, from: begun, to: end)
            if tally.goesOn(at: end, until: deadline) { begin() } else { done(tally) }
        }
    }
}
