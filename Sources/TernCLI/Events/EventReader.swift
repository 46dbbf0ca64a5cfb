// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLibC
import TernEngine
import TernIO
import TernLock

/// Follows events until they end, the user interrupts, or the timeout passes.
struct EventReader {
    /// The first reason to stop.
    private final class Stop: Sendable {
        enum Reason {
            case interrupted
            case timedOut
        }

        private let state = Lock<(reason: Reason?, reader: Task<Void, any Error>?)>((nil, nil))

        var reason: Reason? { state.withLock { $0.reason } }

        func stop(_ reason: Reason) {
            let reader = state.withLock { state in
                state.reason = state.reason ?? reason
                return state.reader
            }
            reader?.cancel()
        }

        /// The task to stop, if it is not too late.
        func watch(_ reader: Task<Void, any Error>) {
            let isLate = state.withLock { state in
                state.reader = reader
                return state.reason != nil
            }
            if isLate { reader.cancel() }
        }
    }

    private let show: @Sendable (ServerSentEvent) throws -> Void

    init(show: @escaping @Sendable (ServerSentEvent) throws -> Void) { self.show = show }

    /// - Throws: curl's exit code, after the failure was reported on standard error.
    func read(_ events: ServerSentEvents, within limit: Duration?, tellsErrors: Bool) async throws {
        let (stop, show) = (Stop(), show)
        // Before the first output, which a user might answer with an interrupt.
        let interruption = Interruption(by: [SIGINT]) { _ in
            stop.stop(.interrupted)
            return .none
        }
        let reader = Task { for try await event in events { try show(event) } }
        stop.watch(reader)
        let clock = Task {
            guard let limit else { return }
            try await WorkThreads.shared.sleep(for: limit)
            stop.stop(.timedOut)
        }
        let result = await reader.result
        clock.cancel()
        interruption.end()
        let failure: FailureReport
        switch (stop.reason, result) {
        case (.interrupted, _), (nil, .success): return
        case (.timedOut, _):
            failure = FailureReport(
                error: SessionError(.timedOut(.total), phase: .body), timeouts: Timeouts(total: limit))
        case (nil, .failure(let lost as StandardStreams.WriteError)): throw lost
        case (nil, .failure(let error)): failure = FailureReport(error: error)
        }
        if tellsErrors { StandardStreams.tell(failure.line) }
        throw ExitCode(failure.status.rawValue)
    }
}
