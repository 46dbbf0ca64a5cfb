// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine

/// Requests URLs, retries if that may help, and reports the results.
struct Fetcher {
    let options: FetchOptions
    let session: Session
    let configuration: SessionConfiguration
    let writeOut: WriteOut?
    let heads: HeadDump?
    let timeCondition: TimeCondition?
    /// Whether the progress is that of the upload rather than the response.
    let showsUpload: Bool

    /// Returns success if the whole response arrived, and no option refuses it.
    func fetch(_ plan: PlannedFetch) async throws -> ExitStatus {
        var attempt = 1
        var heads = Data()
        let start = ContinuousClock.now
        while true {
            let contents = try await contents(of: plan, attempt, start, heads)
            if let delay = delay(after: attempt, contents, ContinuousClock.now - start) {
                tell(contents, plan, delay, left: options.transfer.retryRule.count - attempt)
                try await Task.sleep(for: .seconds(delay))
                attempt += 1
                heads = contents.heads.waiting
                continue
            }
            try report(contents, of: plan, retryCount: attempt - 1)
            return failure(of: contents, plan)?.status ?? .success
        }
    }

    /// All URLs have been requested.
    func finish() throws { try heads?.finish() }

    /// Writes what is kept beyond the command, while the session goes on with what its cache has begun.
    func save() throws {
        try withExtendedLifetime(session) {
            try KeptStorage.save(
                configuration.hstsStorage, configuration.urlCache, isSilent: options.output.isSilent)
        }
    }

    private func contents(
        of plan: PlannedFetch, _ attempt: Int, _ start: ContinuousClock.Instant, _ earlierHeads: Data
    ) async throws -> Transcript.Contents {
        let upload = uploadProgress()
        let progress = showsUpload ? nil : progress(of: plan)
        let transcript = Transcript(
            try use(plan), headDump: dumpsApart(plan) ? heads : nil,
            verbose: options.output.isVerbose ? VerboseReport(configuration: configuration) : nil,
            rules: rules(plan, attempt, start), progress: progress, upload: upload,
            configuration: writeOut == nil ? nil : configuration, earlierHeads: earlierHeads)
        await transcript.record(session.dataTask(with: plan.request, delegate: transcript))
        progress?.finish()
        upload?.finish()
        return transcript.contents
    }

    private func use(_ plan: PlannedFetch) throws -> Transcript.BodyUse {
        if options.output.isJSON { return .collect(limit: configuration.maximumCollectedBodySize) }
        // With the body or instead of it, `-D -` writes where the body is written.
        let dumps = heads != nil && !dumpsApart(plan)
        let copies = (options.output.includesHead || showsHead(plan) ? 1 : 0) + (dumps ? 1 : 0)
        return .write(to: BodyWriter(sink: try BodySink(path: plan.path, options.output.fileRules)), headCopies: copies)
    }

    /// Whether `-D` writes elsewhere than the body.
    private func dumpsApart(_ plan: PlannedFetch) -> Bool {
        heads.map { !($0.isStandardOutput && (plan.path ?? "-") == "-") } ?? false
    }

    private func showsHead(_ plan: PlannedFetch) -> Bool {
        plan.request.httpMethod == "HEAD" && options.content.method == nil
    }

    private func rules(_ plan: PlannedFetch, _ attempt: Int, _ start: ContinuousClock.Instant) -> ResponseRules {
        let retries = options.transfer.retryRule
        return ResponseRules(
            refusesErrors: options.output.fails, refusesErrorsWithBody: options.output.failsWithBody,
            isRepeated: { field in
                let elapsed = (ContinuousClock.now - start) / .seconds(1)
                return attempt <= retries.count
                    && retries.delay(after: attempt, elapsed: elapsed, retryAfter: field, now: Date()) != nil
            },
            maximumBodySize: options.transfer.maximumBodySize?.bytes,
            redirectSchemes: options.transfer.schemes.redirectSchemes, decodes: configuration.decodesContent,
            updatesReferer: options.fields.updatesReferer, keepsCredentials: options.transfer.keepsCredentials,
            keptPosts: options.transfer.keptPosts, offset: plan.offset,
            timeCondition: plan.request.value(forHTTPHeaderField: "Range") == nil ? timeCondition : nil)
    }

    private func progress(of plan: PlannedFetch) -> ProgressDisplay? {
        guard let path = plan.path, path != "-", showsProgress else { return nil }
        return ProgressDisplay()
    }

    private var showsProgress: Bool {
        !options.output.isSilent && !options.output.isVerbose && !options.output.hidesProgress
    }

    private func uploadProgress() -> ProgressDisplay? {
        guard showsUpload, showsProgress else { return nil }
        return ProgressDisplay(.wherever)
    }

    private func failure(of contents: Transcript.Contents, _ plan: PlannedFetch) -> FailureReport? {
        contents.error.map { error in
            let response = contents.response
            let isCoded = configuration.decodesContent && response?.value(forHTTPHeaderField: "Content-Encoding") != nil
            let asked = contents.metrics?.hops.last?.request ?? plan.request
            return FailureReport(
                error: error, timeouts: configuration.timeouts,
                url: (response?.url ?? asked.url)?.absoluteString ?? plan.target.text,
                received: isCoded ? nil : contents.bodySize,
                expected: isCoded ? nil : response?.bodyLength(answering: asked))
        }
    }

    /// Nil if another attempt is useless or too late, or output has been written that cannot be undone.
    private func delay(after attempt: Int, _ contents: Transcript.Contents, _ elapsed: Duration) -> Double? {
        let rule = options.transfer.retryRule
        guard attempt <= rule.count, let error = contents.error else { return nil }
        if case .transient? = error as? RefusedResponse {
            return rule.delay(
                after: attempt, elapsed: elapsed / .seconds(1),
                retryAfter: contents.response?.value(forHTTPHeaderField: "Retry-After"), now: Date())
        }
        guard rule.isTransient(error), !contents.isWrittenThrough else { return nil }
        return rule.delay(after: attempt, elapsed: elapsed / .seconds(1), retryAfter: nil, now: Date())
    }

    private func tell(_ contents: Transcript.Contents, _ plan: PlannedFetch, _ delay: Double, left: Int) {
        guard !options.output.isSilent, let failure = failure(of: contents, plan) else { return }
        StandardStreams.tell(
            "tern: \(failure.message): trying again in \(DecimalText.short(delay)) s, \(left) more after that")
    }

    private func report(_ contents: Transcript.Contents, of plan: PlannedFetch, retryCount: Int) throws {
        if let lost = contents.error as? StandardStreams.WriteError { throw lost }
        if let heads, dumpsApart(plan) { try heads.write(contents.heads.waiting) }
        let failure = failure(of: contents, plan)
        if failure == nil, let response = contents.response { try options.conditions.saveTag(of: response) }
        if options.output.isJSON {
            try StandardStreams.print(
                try JSONReport.text(ExchangeReport(url: plan.target.text, transcript: contents)))
        } else if let failure, options.output.tellsErrors {
            StandardStreams.tell(failure.line)
        }
        try writeOut?.write(TransferReport(plan, contents, failure, retryCount: retryCount))
    }
}
