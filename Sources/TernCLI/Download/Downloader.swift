// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine
import TernIO

/// Downloads a file, retries if that may help, and reports the result.
struct Downloader {
    let session: Session
    let request: URLRequest
    let file: DownloadFileOptions
    let retries: RetryRule
    let limit: Int?
    /// The allowed schemes of redirects.
    let redirectSchemes: Set<String>

    /// Returns success if there is a file.
    ///
    /// - Parameter target: the file; nil lets the response name it.
    func download(to target: URL?) async throws -> ExitStatus {
        var target = target
        var attempt = 1
        let start = ContinuousClock.now
        while true {
            let transcript = DownloadTranscript(
                range: file.range != nil, rules: ResponseRules(redirectSchemes: redirectSchemes),
                progress: file.isSilent ? nil : DownloadProgress())
            let task = task(to: target, attempt, transcript)
            let interruption = Interruption { _ in
                task.cancel()
                return .none
            }
            await transcript.record(task)
            let outcome = transcript.outcome
            interruption.end()
            if let signal = interruption.signal {
                tell(outcome)
                Interruption.die(of: signal)
            }
            target = target ?? outcome.target
            guard let delay = delay(after: attempt, ContinuousClock.now - start, outcome) else {
                tell(outcome)
                return failure(of: outcome)?.status ?? .success
            }
            if let error = outcome.error {
                let failure = failure(of: outcome)
                if file.tellsErrors, let failure { StandardStreams.tell(failure.line) }
                let left = retries.policy.maximumRetries - attempt + 1
                let notice = RetryNotice(error, failure, after: delay, left: left, by: retries)
                if !file.isSilent { StandardStreams.tell(notice.warning) }
            }
            try await WorkThreads.shared.sleep(for: delay)
            attempt += 1
        }
    }

    private func task(to target: URL?, _ attempt: Int, _ transcript: DownloadTranscript) -> SessionDownloadTask {
        var settings = file.settings
        settings.maximumLength = limit.map(Int64.init)
        // The partial file of the previous attempt belongs to this download.
        if attempt > 1 { settings.startsOver = false }
        if let target {
            transcript.choose(target)
            return session.downloadTask(with: request, to: target, settings: settings, delegate: transcript)
        }
        return session.downloadTask(with: request, settings: settings, delegate: transcript) { response in
            let name = response.suggestedFilename ?? "Unknown"
            let target = URL(target: name)
            transcript.choose(target)
            return target
        }
    }

    /// Nil if no attempt follows. A download that can be resumed is retried when its connection is lost, whatever curl
    /// does about a whole request.
    private func delay(after attempt: Int, _ elapsed: Duration, _ outcome: DownloadTranscript.Outcome) -> Duration? {
        guard let error = outcome.error else { return nil }
        var rule = retries
        if let response = outcome.refusedResponse {
            if rule.policy.failures == .all { rule.policy.statusCodes.insert(response.statusCode) }
            return rule.delay(on: RetryRule.Outcome(of: response.head), of: request, after: attempt, elapsed: elapsed)
        }
        rule.policy.failures.insert(.connectionLost)
        return rule.delay(on: error, of: request, after: attempt, elapsed: elapsed)
    }

    private func failure(of outcome: DownloadTranscript.Outcome) -> FailureReport? {
        outcome.error.map { error in
            FailureReport(
                error: error, timeouts: request.timeouts,
                url: ((outcome.response?.url ?? request.url)?.absoluteString).map(request.sensitiveFields.shown),
                received: Int(clamping: outcome.length),
                expected: outcome.expectedLength(answering: request))
        }
    }

    private func tell(_ outcome: DownloadTranscript.Outcome) {
        guard let failure = failure(of: outcome) else {
            if !file.isSilent { StandardStreams.tell("tern: \(outcome.summary)") }
            return
        }
        guard file.tellsErrors else { return }
        StandardStreams.tell(failure.line)
        if let length = outcome.keptLength {
            StandardStreams.tell("tern: \(length) bytes are kept; the same command with -C - resumes there")
        }
    }
}
