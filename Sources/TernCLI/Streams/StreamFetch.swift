// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLibC
import TernEngine
import TernIO
import TernLock

/// A request whose response goes on: until it ends by itself, the user interrupts, or the timeout passes.
struct StreamFetch {
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

    let session: Session
    let request: URLRequest
    /// Is told of everything but the response, with `-v`.
    let delegate: Transcript?
    private let files: RunFiles
    private let messages: MessageOptions
    private let limit: Duration?

    init(_ options: FetchOptions, _ global: GlobalOptions) throws {
        messages = global.messages
        limit = try TransferOptions.duration(options.transfer.maximumTime, "--max-time")
        var options = try options.withNeededTrust()
        // It is that of all streams together.
        options.transfer.maximumTime = nil
        files = try RunFiles([options], global, observers: messages.isVerbose ? [Self.teller] : [])
        let planner = try FetchPlanner(options: options, command: nil, isSilent: messages.isSilent, files.sessions)
        let targets = Array(options.targets.prefix(2))
        guard let target = targets.first, targets.count == 1 else {
            throw UsageError("\(options.urls.joined()) stands for several URLs: give one, or -g")
        }
        var request = try planner.plan(try target.get(), index: 0, behind: 0).request
        request.timeouts?.idle = nil
        (session, self.request) = (planner.session, request)
        delegate =
            messages.isVerbose
            ? Transcript(
                .elsewhere, verbose: VerboseReport(configuration: session.configuration),
                rules: ResponseRules(redirectSchemes: options.transfer.schemes.redirectSchemes), progress: nil) : nil
    }

    /// Tells, with `-v`, what no delegate learns: of the response, whose reader does not share it, and of messages.
    private static let teller = EventObserver { observation in
        let report = VerboseReport(configuration: .default)
        if case .response(let response, _) = observation.event {
            StandardStreams.tell(
                report.receiving(response, for: observation.task.originalRequest).joined(separator: "\n"))
        } else if case .webSocket(let event) = observation.event {
            StandardStreams.tell(report.line(about: event))
        }
    }

    /// Runs what reads the response, which is cancelled to stop it. Then writes the files of the options.
    ///
    /// - Throws: curl's exit code, after the failure was reported on standard error.
    func follow(_ body: @escaping @Sendable () async throws -> Void) async throws {
        try await files.saved { try await run(body) }
    }

    private func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let stop = Stop()
        // Before the first output, which a user might answer with an interrupt.
        let interruption = Interruption(by: [SIGINT]) { _ in
            stop.stop(.interrupted)
            return .none
        }
        let reader = Task { try await body() }
        stop.watch(reader)
        let clock = Task { [limit] in
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
        if messages.tellsErrors { StandardStreams.tell(failure.line) }
        throw ExitCode(failure.status.rawValue)
    }
}
