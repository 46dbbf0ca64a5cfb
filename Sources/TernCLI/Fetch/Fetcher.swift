// SPDX-License-Identifier: Apache-2.0
import Foundation
import Tern
import TernEngine

/// Asks for URLs, again where that may help, and tells what has come of it.
struct Fetcher {
    let options: FetchOptions
    let session: Session
    let configuration: SessionConfiguration
    let writeOut: WriteOut?
    let heads: HeadDump?
    /// Whether it is told how far the content has been sent, in place of the answer.
    let showsUpload: Bool

    /// Whether all of the answer came, and was one to take.
    func fetch(_ plan: PlannedFetch) async throws -> Bool {
        var attempt = 1
        while true {
            let contents = try await contents(of: plan, attempt)
            if let delay = delay(after: attempt, contents) {
                tell(contents, delay, left: options.course.retryRule.count - attempt)
                try await Task.sleep(for: .seconds(delay))
                attempt += 1
                continue
            }
            try report(contents, of: plan)
            return contents.error == nil
        }
    }

    /// Every URL has been asked for.
    func finish() throws { try heads?.finish() }

    private func contents(of plan: PlannedFetch, _ attempt: Int) async throws -> Transcript.Contents {
        let upload = uploadProgress()
        let progress = showsUpload ? nil : progress(of: plan)
        let transcript = Transcript(
            try use(plan), verbose: options.output.isVerbose ? VerboseReport(configuration: configuration) : nil,
            rules: rules(attempt), progress: progress, upload: upload)
        await transcript.record(session.dataTask(with: plan.request, delegate: transcript))
        progress?.finish()
        upload?.finish()
        return transcript.contents
    }

    private func use(_ plan: PlannedFetch) throws -> Transcript.BodyUse {
        if options.output.isJSON { return .collect(limit: configuration.maximumCollectedBodySize) }
        // With the body or instead of it, `-D -` goes where the body goes.
        let dumps = heads?.isStandardOutput == true && (plan.path ?? "-") == "-"
        let copies = (options.output.includesHead || showsHead(plan) ? 1 : 0) + (dumps ? 1 : 0)
        return .write(to: Outlet(sink: try BodySink(path: plan.path)), headCopies: copies)
    }

    private func showsHead(_ plan: PlannedFetch) -> Bool {
        plan.request.httpMethod == "HEAD" && options.content.method == nil
    }

    private func rules(_ attempt: Int) -> ResponseRules {
        ResponseRules(
            refusesErrors: options.output.fails, refusesErrorsWithBody: options.output.failsWithBody,
            refusesTransient: attempt <= options.course.retryRule.count,
            maximumBodySize: options.course.maximumBodySize?.bytes)
    }

    private func progress(of plan: PlannedFetch) -> ProgressDisplay? {
        guard let path = plan.path, path != "-", !options.output.isSilent, !options.output.isVerbose else { return nil }
        return ProgressDisplay()
    }

    private func uploadProgress() -> ProgressDisplay? {
        guard showsUpload, !options.output.isSilent, !options.output.isVerbose else { return nil }
        return ProgressDisplay(.wherever)
    }

    /// Nil if there is no use in another attempt, or something has been written that cannot be taken back.
    private func delay(after attempt: Int, _ contents: Transcript.Contents) -> Double? {
        let rule = options.course.retryRule
        guard attempt <= rule.count, let error = contents.error else { return nil }
        if case .transient? = error as? RefusedResponse {
            return rule.delay(
                after: attempt, retryAfter: contents.response?.value(forHTTPHeaderField: "Retry-After"), now: Date())
        }
        guard RetryRule.isTransient(error), !contents.isWrittenThrough else { return nil }
        return rule.delay(after: attempt, retryAfter: nil, now: Date())
    }

    private func tell(_ contents: Transcript.Contents, _ delay: Double, left: Int) {
        guard !options.output.isSilent, let error = contents.error else { return }
        StandardStreams.tell("tern: \(error): trying again in \(delay.formatted()) s, \(left) more after that")
    }

    private func report(_ contents: Transcript.Contents, of plan: PlannedFetch) throws {
        if let lost = contents.error as? StandardStreams.WriteError { throw lost }
        if let heads, !(heads.isStandardOutput && (plan.path ?? "-") == "-") {
            try heads.write(ResponseHeadText.bytes(contents.heads))
        }
        if options.output.isJSON {
            try StandardStreams.print(
                try JSONReport.text(ExchangeReport(url: plan.target.text, transcript: contents)))
        } else if let error = contents.error, options.output.tellsErrors {
            StandardStreams.tell("tern: \(error)")
        }
        try writeOut?.write(TransferReport(plan, contents))
    }
}
