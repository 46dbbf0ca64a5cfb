// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import TernEngine

/// One of the workers that send requests all the time, each differently, and cancel some.
struct Worker: Sendable {
    let draft: Draft
    let sessions: Sessions
    let watchdog: Watchdog
    let findings: Findings
    let auditor: Auditor
    var draws: Draws

    private static let clock = DispatchQueue(label: "soak.clock")

    mutating func run(until end: MonotonicInstant) async {
        while MonotonicInstant.now < end {
            if draws.chance(1) { sessions.replaceOne(&draws) }
            if draws.chance(2) { sessions.changePolicies(&draws) }
            switch Int.random(in: 0..<11, using: &draws) {
            case 0...4: await askDelegate()
            case 5...6: await askForData()
            case 7...8: await askForBytes()
            case 9: await talk()
            default: await askBesideTheSocket()
            }
        }
    }

    /// A question, the request that asks it, and when it will have been cancelled at the latest.
    private mutating func draw() -> (Question, TernEngine.URLRequest, Duration)? {
        let question = draft.question(&draws)
        guard var request = try? question.request() else { return nil }
        var patience = Duration.milliseconds(draws.one(of: 0, 3, 30, 300, 3000))
        if draws.chance(60) { patience = .milliseconds(3000) }
        if draws.chance(30) {
            let total = Duration.milliseconds(draws.one(of: 1, 40, 2000))
            request.timeouts = Timeouts(idle: .milliseconds(draws.one(of: 5, 700)), total: total)
        }
        return (question, request, patience)
    }

    private mutating func askDelegate() async {
        guard let (question, request, patience) = draw() else { return }
        let (watchdog, findings) = (watchdog, findings)
        let start = MonotonicInstant.now
        let resumeDataRequests = Int.random(in: 0..<10, using: &draws)
        let (first, second) = (Int.random(in: 0..<20, using: &draws), Int.random(in: 1..<50, using: &draws))
        watchdog.begin(question, due: start.advanced(by: patience))
        // Not kept: the session may be dropped while it is asked.
        guard let session = sessions.one(&draws) else { return watchdog.end(question, nil) }
        let outcome = await withCheckedContinuation { continuation in
            let witness = Witness(question, findings) { outcome in
                watchdog.end(question, outcome.error)
                continuation.resume(returning: outcome)
            }
            let task = session.dataTask(with: request, delegate: witness)
            Self.steer(task, as: resumeDataRequests, first, second)
            Self.clock.asyncAfter(deadline: .now() + patience.seconds) { [weak task] in task?.cancel() }
        }
        await auditor.judge(question, outcome.forged, after: max(start, outcome.acquired ?? start))
    }

    private static func steer(_ task: SessionTask, as way: Int, _ first: Int, _ second: Int) {
        switch way {
        case 0:
            task.cancel()
            task.resume()
        case 1:
            task.resume()
            task.cancel()
            task.cancel()
        case 2, 3:
            task.suspend()
            task.resume()
            task.suspend()
            clock.asyncAfter(deadline: .now() + .milliseconds(second)) { [weak task] in task?.resume() }
        case 4, 5:
            task.resume()
            clock.asyncAfter(deadline: .now() + .milliseconds(first)) { [weak task] in task?.suspend() }
            clock.asyncAfter(deadline: .now() + .milliseconds(first + second)) { [weak task] in task?.resume() }
        default: task.resume()
        }
    }

    private mutating func askForData() async {
        guard let (question, request, patience) = draw(), let session = sessions.one(&draws) else { return }
        let start = MonotonicInstant.now
        watchdog.begin(question, due: start.advanced(by: patience))
        let call = Task { try await session.data(for: request) }
        Self.clock.asyncAfter(deadline: .now() + patience.seconds) { call.cancel() }
        await conclude(question, await call.result, start)
    }

    /// On the reactor itself, and with work there between one question and the next.
    private mutating func askBesideTheSocket() async {
        guard let (question, request, patience) = draw(), let session = sessions.one(&draws),
            let executor = session.executors.first
        else { return }
        watchdog.begin(question, due: MonotonicInstant.now.advanced(by: patience))
        let work = UInt32.random(in: 0...3000, using: &draws)
        let call = Task(executorPreference: executor) {
            usleep(work)
            return (MonotonicInstant.now, try await session.data(for: request))
        }
        Self.clock.asyncAfter(deadline: .now() + patience.seconds) { call.cancel() }
        let result = await call.result
        let start = (try? result.get().0) ?? .now
        await conclude(question, result.map(\.1), start)
    }

    private func conclude(
        _ question: Question, _ result: Result<(Data, HTTPURLResponse), any Error>, _ start: MonotonicInstant
    ) async {
        var report = WorkerReport(question)
        switch result {
        case .success((let data, let response)):
            report.head(response)
            if !data.isEmpty { report.bytes([UInt8](data).span) }
            report.end(isComplete: true)
            watchdog.end(question, nil)
        case .failure(let error):
            report.end(isComplete: false)
            watchdog.end(question, error as? SessionError)
        }
        findings.note(report)
        await auditor.judge(question, report.forged, after: start)
    }

    private mutating func askForBytes() async {
        guard let (question, request, patience) = draw(), let session = sessions.one(&draws) else { return }
        let stopsEarly = draws.chance(20)
        let start = MonotonicInstant.now
        watchdog.begin(question, due: start.advanced(by: patience))
        let call = Task { () async throws -> WorkerReport in
            var report = WorkerReport(question)
            let (bytes, response) = try await session.bytes(for: request)
            report.head(response)
            for try await piece in bytes {
                report.bytes([UInt8](piece).span)
                if stopsEarly { return report }
            }
            report.end(isComplete: true)
            return report
        }
        Self.clock.asyncAfter(deadline: .now() + patience.seconds) { call.cancel() }
        switch await call.result {
        case .success(let report):
            watchdog.end(question, nil)
            findings.note(report)
            await auditor.judge(question, report.forged, after: start)
        case .failure(let error): watchdog.end(question, error as? SessionError)
        }
    }

    /// Over a WebSocket, which is closed, cancelled, or left.
    private mutating func talk() async {
        guard let session = sessions.one(&draws) else { return }
        let question = draft.echo(&draws)
        let patience = Duration.milliseconds(draws.one(of: 3, 30, 300, 3000, 3000))
        var echo = Echo(
            question: question, pieceSize: draws.one(of: 125, 1000, 9000), isCompressed: draws.chance(50))
        if draws.chance(20) { echo.leavesAfter = Int.random(in: 0...3, using: &draws) }
        watchdog.begin(question, due: MonotonicInstant.now.advanced(by: patience))
        let call = Task { [echo] in try await echo.run(in: session) }
        Self.clock.asyncAfter(deadline: .now() + patience.seconds) { call.cancel() }
        switch await call.result {
        case .success(let report):
            watchdog.end(question, nil)
            findings.note(report)
        case .failure(let error):
            let error = error as? SessionError
            watchdog.end(question, error)
            // The server does nothing wrong.
            if case .transfer(.webSocket(let failure))? = error?.reason, !Echo.isExpected(failure) {
                var report = WorkerReport(question)
                report.note(.disorder("\(failure)"))
                findings.note(report)
            }
        }
    }
}
