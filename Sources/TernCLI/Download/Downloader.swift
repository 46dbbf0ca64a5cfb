// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernEngine

/// Downloads a file, again where that may help, and tells what has come of it.
struct Downloader {
    let session: Session
    let request: Tern.URLRequest
    let file: DownloadFileOptions
    let retries: RetryRule
    let limit: Int?

    /// Whether there is a file. Nil has it named by the answer.
    func download(to target: URL?) async throws -> Bool {
        var target = target
        var attempt = 1
        while true {
            let transcript = DownloadTranscript(
                range: file.range != nil, progress: file.isSilent ? nil : DownloadProgress())
            let task = task(to: target, attempt, transcript)
            let interruption = Interruption { task.cancel() }
            await transcript.record(task)
            let outcome = transcript.outcome
            interruption.end()
            if let signal = interruption.signal {
                tell(outcome)
                Interruption.die(of: signal)
            }
            target = target ?? outcome.target
            guard let error = outcome.error, attempt <= retries.count, Self.isTransient(error, outcome) else {
                tell(outcome)
                return outcome.error == nil
            }
            let delay = retries.delay(
                after: attempt, retryAfter: outcome.response?.value(forHTTPHeaderField: "Retry-After"), now: Date())
            if !file.isSilent {
                StandardStreams.tell(
                    "tern: \(error): trying again in \(delay.formatted()) s, \(retries.count - attempt) more after that"
                )
            }
            try await Task.sleep(for: .seconds(delay))
            attempt += 1
        }
    }

    private func task(to target: URL?, _ attempt: Int, _ transcript: DownloadTranscript) -> SessionDownloadTask {
        var settings = file.settings
        settings.maximumLength = limit.map(Int64.init)
        // What the attempt before has left is of this very download.
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

    private static func isTransient(_ error: any Error, _ outcome: DownloadTranscript.Outcome) -> Bool {
        if let status = outcome.refusedStatus { return RetryRule.isTransient(status: status) }
        // What can be gone on with is worth another attempt, whatever curl does about a whole request.
        if case .transfer(.connectionLost)? = (error as? EngineError)?.reason { return true }
        return RetryRule.isTransient(error)
    }

    private func tell(_ outcome: DownloadTranscript.Outcome) {
        guard let error = outcome.error else {
            if !file.isSilent { StandardStreams.tell("tern: \(outcome.summary)") }
            return
        }
        guard file.tellsErrors else { return }
        StandardStreams.tell("tern: \(error)")
        if let length = outcome.keptLength {
            StandardStreams.tell("tern: \(length) bytes are kept; the same command with -C - goes on there")
        }
    }
}
