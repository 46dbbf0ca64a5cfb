// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import Glibc
import TernEngine
import TernIO

/// Requests the URLs of one group of options, retries if that may help, and reports the results.
struct Fetcher: Sendable {
    private let options: FetchOptions
    private let messages: MessageOptions
    private let session: Session
    private let writeOut: WriteOut?
    private let heads: HeadDump?
    private let timeCondition: TimeCondition?
    /// Shows the progress of all transfers; nil shows that of each.
    private let meter: TransferMeter?
    /// Whether the progress is that of the upload rather than the response.
    private let showsUpload: Bool

    init(_ planner: FetchPlanner, _ messages: MessageOptions, meter: TransferMeter?, showsUpload: Bool) throws {
        (options, session, timeCondition) = (planner.options, planner.session, planner.timeCondition)
        (self.messages, self.meter, self.showsUpload) = (messages, meter, showsUpload)
        writeOut = try options.output.writeOut.map(WriteOut.init(argument:))
        heads = try options.output.headDump()
    }

    /// Returns success if the whole response arrived, and no option refuses it.
    func fetch(_ first: PlannedFetch) async throws -> ExitStatus {
        var plan = first
        let file = options.transfer.retries > 0 ? ContinuedFile(plan) : nil
        heads?.giveWay(to: plan.path)
        meter?.begin()
        defer { meter?.end() }
        var attempt = 1
        var heads = Data()
        var engineRetries = 0
        let start = ContinuousClock.now
        while true {
            let contents = try await contents(of: plan, attempt, start, heads)
            // Another transfer has failed, and --fail-early ends all.
            if Task.isCancelled { return .success }
            engineRetries += contents.metrics?.retries.last?.number ?? 0
            let rest = file.flatMap { self.rest(of: $0, contents, plan, first) }
            if let error = contents.error,
                let delay = delay(
                    of: plan.request, after: attempt, contents, ContinuousClock.now - start, isContinued: rest != nil)
            {
                let left = options.transfer.retries - attempt + 1
                let failure = failure(of: contents, plan)
                let rule = options.transfer.retryRule
                tell(RetryNotice(error, failure, after: delay, left: left, by: rule), contents, plan)
                plan = rest ?? first
                if rest == nil { try restore(file) }
                try await WorkThreads.shared.sleep(for: delay)
                attempt += 1
                heads = contents.heads.waiting
                continue
            }
            try report(contents, of: plan, retryCount: attempt - 1 + engineRetries)
            return failure(of: contents, plan)?.status ?? .success
        }
    }

    /// Tells why a URL is not requested.
    func report(_ error: any Error) -> ExitStatus {
        let failure = error as? CommandFailure ?? CommandFailure(.usage, "\(error)")
        if messages.tellsErrors { tell(failure.line) }
        return failure.status
    }

    /// All URLs have been requested.
    func finish() throws { try heads?.finish() }

    private func contents(
        of plan: PlannedFetch, _ attempt: Int, _ start: ContinuousClock.Instant, _ earlierHeads: Data
    ) async throws -> Transcript.Contents {
        let (upload, progress) = progress(of: plan)
        let transcript = Transcript(
            try use(plan), headDump: dumpsApart(plan) ? heads : nil,
            verbose: messages.isVerbose ? VerboseReport(configuration: session.configuration) : nil,
            showsProxyHeads: !options.output.omitsProxyHeads,
            rules: rules(plan, attempt, start), progress: progress, upload: upload,
            configuration: writeOut == nil ? nil : session.configuration, earlierHeads: earlierHeads)
        await transcript.record(session.dataTask(with: plan.request, delegate: transcript))
        progress?.finish()
        upload?.finish()
        return transcript.contents
    }

    private func use(_ plan: PlannedFetch) throws -> Transcript.BodyUse {
        if options.output.isJSON { return .collect(limit: session.configuration.maximumCollectedBodySize) }
        return .write(
            to: BodyWriter(sink: try BodySink(path: plan.path, plan.fileRules)), headCopies: headCopies(of: plan))
    }

    /// How often the head is written where the body is: with `-i` or in place of the body, and with `-D -`.
    private func headCopies(of plan: PlannedFetch) -> Int {
        (options.output.includesHead || showsHead(plan) ? 1 : 0) + (heads != nil && !dumpsApart(plan) ? 1 : 0)
    }

    /// Writes the heads that have come before a failure to standard output; a file stays as it is.
    private func writeHeads(of contents: Transcript.Contents, _ plan: PlannedFetch) throws {
        let copies = options.output.isJSON || (plan.path ?? "-") != "-" ? 0 : headCopies(of: plan)
        guard contents.error != nil, copies > 0, !contents.hasWrittenHeads, !contents.heads.waiting.isEmpty else {
            return
        }
        let sink = try BodySink(path: plan.path)
        _ = try sink.open()
        try sink.write(ResponseHeadText.repeating(contents.heads.waiting, copies))
    }

    /// Whether `-D` writes elsewhere than the body.
    private func dumpsApart(_ plan: PlannedFetch) -> Bool {
        heads.map { !($0.isStandardOutput && (plan.path ?? "-") == "-") } ?? false
    }

    private func showsHead(_ plan: PlannedFetch) -> Bool {
        options.content.isHead || plan.request.httpMethod == "HEAD" && options.content.method == nil
    }

    private func rules(_ plan: PlannedFetch, _ attempt: Int, _ start: ContinuousClock.Instant) -> ResponseRules {
        let retries = options.transfer.retryRule
        return ResponseRules(
            refusesErrors: options.output.fails, refusesErrorsWithBody: options.output.failsWithBody,
            isRepeated: { [request = plan.request] in
                retries.delay(on: $0, of: request, after: attempt, elapsed: ContinuousClock.now - start) != nil
            },
            maximumBodySize: options.transfer.maximumBodySize?.bytes,
            redirectSchemes: options.transfer.schemes.redirectSchemes, decodes: options.fields.isCompressed,
            updatesReferer: options.fields.updatesReferer, keepsCredentials: options.transfer.keepsCredentials,
            keptPosts: options.transfer.keptPosts, offset: plan.offset, part: plan.part,
            wantsHeadAlone: options.content.isHead,
            timeCondition: plan.request.value(forHTTPHeaderField: "Range") == nil ? timeCondition : nil)
    }

    /// Those of the request's content and of the response's.
    private func progress(
        of plan: PlannedFetch
    ) -> (upload: (any TransferProgress)?, response: (any TransferProgress)?) {
        let isShown = (plan.path ?? "-") != "-"
        if let meter {
            if !isShown, isatty(STDOUT_FILENO) == 1 { meter.hide() }
            return (meter.ofContent, meter.ofResponse)
        }
        guard messages.showsProgress else { return (nil, nil) }
        if showsUpload || isShown && !options.content.uploads.isEmpty { return (ProgressDisplay(.wherever), nil) }
        return (nil, isShown ? ProgressDisplay() : nil)
    }

    private func failure(of contents: Transcript.Contents, _ plan: PlannedFetch) -> FailureReport? {
        contents.error.map { error in
            let response = contents.response
            let isCoded = options.fields.isCompressed && response?.value(forHTTPHeaderField: "Content-Encoding") != nil
            let asked = contents.metrics?.hops.last?.request ?? plan.request
            return FailureReport(
                error: error, timeouts: plan.request.timeouts,
                url: plan.request.sensitiveFields.shown(
                    (response?.url ?? asked.url)?.absoluteString ?? plan.target.text),
                received: isCoded ? nil : contents.bodySize,
                expected: isCoded ? nil : response?.bodyLength(answering: asked))
        }
    }

    /// The request for what is missing in a file whose body broke off, now or in an earlier attempt; nil if the next
    /// attempt requests the same as the first.
    private func rest(
        of file: ContinuedFile, _ contents: Transcript.Contents, _ plan: PlannedFetch, _ first: PlannedFetch
    ) -> PlannedFetch? {
        guard options.output.resumption == .lengthOfFile, headCopies(of: plan) == 0,
            first.request.httpMethod == "GET", first.offset != nil || first.request.headers["Range"] == nil
        else { return nil }
        var next = plan
        let length = file.length
        let isAnswered = (contents.response?.statusCode).map { $0 == 200 || $0 == 206 } ?? false
        guard let response = contents.response, isAnswered, contents.error is SessionError, contents.bodySize > 0,
            length > file.beginning
        else { return plan.part == nil ? nil : plan }
        if response.isContentDecoded || !AppliedCodings(of: response.head).areIdentity { return nil }
        let part = FilePart(
            response, after: plan.part, beginning: first.offset == nil ? file.beginning : nil)
        part.request(from: length, &next.request)
        (next.offset, next.part) = (length, part)
        return next
    }

    private func restore(_ file: ContinuedFile?) throws {
        guard let file else { return }
        let count = file.length - file.beginning
        try file.restore()
        if count > 0, !messages.isSilent { tell("Throwing away \(count) bytes") }
    }

    /// Nil if another attempt is useless or too late, or output has been written that cannot be undone.
    ///
    /// - Parameter isContinued: whether the next attempt continues the file: then a lost connection may be followed by
    ///   one, whatever curl does about a whole body.
    private func delay(
        of request: URLRequest, after attempt: Int, _ contents: Transcript.Contents, _ elapsed: Duration,
        isContinued: Bool
    ) -> Duration? {
        guard let error = contents.error else { return nil }
        var rule = options.transfer.retryRule
        if isContinued { rule.policy.failures.insert(.connectionLost) }
        if case .transient(let response)? = error as? RefusedResponse {
            return rule.delay(on: RetryRule.Outcome(of: response.head), of: request, after: attempt, elapsed: elapsed)
        }
        return contents.isWrittenThrough ? nil : rule.delay(on: error, of: request, after: attempt, elapsed: elapsed)
    }

    /// As in curl: the error, if it would be one without a retry, and what follows from it.
    private func tell(_ notice: RetryNotice, _ contents: Transcript.Contents, _ plan: PlannedFetch) {
        let isError = if case .transient? = contents.error as? RefusedResponse { options.output.fails } else { true }
        if isError, messages.tellsErrors, let failure = failure(of: contents, plan) { tell(failure.line) }
        if messages.isVerbose { tell(notice.verbose) }
        if !messages.isSilent { tell(notice.warning) }
    }

    private func tell(_ line: String) {
        meter?.clear()
        StandardStreams.tell(line)
    }

    private func report(_ contents: Transcript.Contents, of plan: PlannedFetch, retryCount: Int) throws {
        if let lost = contents.error as? StandardStreams.WriteError { throw lost }
        if let heads, dumpsApart(plan) { try heads.write(contents.heads.waiting) }
        try writeHeads(of: contents, plan)
        let failure = failure(of: contents, plan)
        if failure == nil, let response = contents.response { try options.conditions.saveTag(of: response) }
        if options.output.isJSON {
            try StandardStreams.print(
                try JSONReport.text(ExchangeReport(url: plan.target.text, transcript: contents)))
        } else if let failure, messages.tellsErrors {
            tell(failure.line)
        }
        try writeOut?.write(TransferReport(plan, contents, failure, retryCount: retryCount))
    }
}
