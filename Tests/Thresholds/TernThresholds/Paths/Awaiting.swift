// SPDX-License-Identifier: Apache-2.0
import Dispatch
import TernEngine
import TernLock
import TernRuntime

/// `await session.data(…)`, one request after the other.
struct Awaiting {
    private let session: Session
    private let request: URLRequest
    private let answer: Origins.Answer

    init(_ answer: Origins.Answer, _ request: URLRequest? = nil) {
        session = Session(configuration: answer.configuration)
        Lasting.keep(session)
        self.answer = answer
        self.request = request ?? URLRequest(url: answer.url)
    }

    /// From a task that prefers the reactor's executor, as `tern bench` does.
    func sendOnReactor(_ count: Int, byURL: Bool = false) throws {
        try Self.wait(on: session.executors.first) {
            for _ in 0..<count {
                let (data, response) =
                    byURL ? try await session.data(from: answer.url) : try await session.data(for: request)
                try answer.check(response.statusCode, data.count)
            }
        }
    }

    /// From a task like any other, and with the URL as it stands.
    func sendPlainly(_ count: Int, withRuntime: Bool = false) throws {
        if withRuntime { try TernRuntime.install() }
        try Self.wait(on: nil) {
            for _ in 0..<count {
                let (data, response) = try await session.data(from: answer.url)
                try answer.check(response.statusCode, data.count)
            }
        }
    }

    private static func wait(
        on executor: (any TaskExecutor)?, _ work: @escaping @Sendable () async throws -> Void
    ) throws {
        let done = DispatchSemaphore(value: 0)
        let failure = Lock<(any Error)?>(nil)
        Task(executorPreference: executor) {
            do { try await work() } catch { failure.withLock { $0 = error } }
            done.signal()
        }
        done.wait()
        if let failure = failure.withLock({ $0 }) { throw failure }
    }
}
