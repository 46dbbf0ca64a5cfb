// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernLibC
import TernEngine

/// Requests the URLs of one group of options, and reports the results.
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
    func fetch(_ plan: PlannedFetch) async throws -> ExitStatus {
        heads?.giveWay(to: plan.path)
        meter?.begin()
        defer { meter?.end() }
        let place = plan.path == nil ? try options.file?.target(of: plan.target) : nil
        if let existing = try await completeFile(at: place, plan) {
            if !messages.isSilent { tell("tern: \(existing): complete already") }
            return .success
        }
        let contents = try await contents(of: plan, at: place)
        // Another transfer has failed, and --fail-early ends all.
        if Task.isCancelled { return .success }
        try report(contents, of: plan)
        return failure(of: contents, plan)?.status ?? .success
    }

    /// Tells why a URL is not requested.
    func report(_ error: any Error) -> ExitStatus {
        let failure = error as? CommandFailure ?? CommandFailure(.usage, "\(error)")
        if messages.tellsErrors { tell(failure.line) }
        return failure.status
    }

    /// All URLs have been requested.
    func finish() throws { try heads?.finish() }

    /// - Parameter place: the file of a download, if it is known.
    private func contents(of plan: PlannedFetch, at place: URL?) async throws -> Transcript.Contents {
        let (upload, progress) = progress(of: plan)
        let transcript = Transcript(
            try use(plan), headDump: dumpsApart(plan) ? heads : nil,
            verbose: messages.isVerbose ? VerboseReport(configuration: session.configuration) : nil,
            showsProxyHeads: !options.output.omitsProxyHeads, rules: rules(plan), progress: progress, upload: upload,
            configuration: writeOut == nil ? nil : session.configuration
        ) { lines(about: $0, $1, isContinued: $2, $3, plan) }
        let signal: Int32?
        if isDownload(plan), let file = options.file {
            signal = await download(plan, file, to: place, transcript)
        } else {
            await transcript.record(session.dataTask(with: plan.request, delegate: transcript))
            signal = nil
        }
        progress?.finish()
        upload?.finish()
        if let signal {
            try report(transcript.contents, of: plan)
            Interruption.die(of: signal)
        }
        return transcript.contents
    }

    private func isDownload(_ plan: PlannedFetch) -> Bool { options.file != nil && plan.path == nil }

    /// Returns the signal that has interrupted it.
    private func download(
        _ plan: PlannedFetch, _ file: DownloadFileOptions, to target: URL?, _ transcript: Transcript
    ) async -> Int32? {
        let settings = file.settings(isPart: options.range != nil, limit: options.transfer.maximumBodySize?.bytes)
        let task: SessionDownloadTask
        if let target {
            transcript.choose(target)
            task = session.downloadTask(with: plan.request, to: target, settings: settings, delegate: transcript)
        } else {
            task = session.downloadTask(with: plan.request, settings: settings, delegate: transcript) { response in
                let target = URL(target: response.suggestedFilename ?? "Unknown")
                transcript.choose(target)
                return target
            }
        }
        let interruption = Interruption { _ in
            task.cancel()
            return .none
        }
        defer { interruption.end() }
        await transcript.record(task)
        return interruption.signal
    }

    /// The path of the file of a download that `-C -` finds complete; nil for none.
    private func completeFile(at place: URL?, _ plan: PlannedFetch) async throws -> String? {
        guard let file = options.file, file.continues, file.sha256 == nil, !file.usesReprDigest,
            let existing = place.flatMap(ExistingFile.init), try await existing.isComplete(as: plan.request, session)
        else { return nil }
        return existing.path
    }

    private func use(_ plan: PlannedFetch) throws -> Transcript.BodyUse {
        if isDownload(plan) { return .elsewhere }
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
        heads.map { isDownload(plan) || !($0.isStandardOutput && (plan.path ?? "-") == "-") } ?? false
    }

    private func showsHead(_ plan: PlannedFetch) -> Bool {
        options.content.isHead || plan.request.httpMethod == "HEAD" && options.content.method == nil
    }

    private func rules(_ plan: PlannedFetch) -> ResponseRules {
        ResponseRules(
            refusesErrors: options.output.fails || options.file != nil,
            refusesErrorsWithBody: options.output.failsWithBody,
            maximumBodySize: options.transfer.maximumBodySize?.bytes,
            redirectSchemes: options.transfer.schemes.redirectSchemes, decodes: options.fields.isCompressed,
            updatesReferer: options.fields.updatesReferer, keepsCredentials: options.transfer.keepsCredentials,
            keptPosts: options.transfer.keptPosts, keptMethod: options.content.method,
            hasPostContent: options.content.hasPostBody,
            wantsPart: options.file != nil && options.range != nil,
            speedLimit: options.transfer.speedLimit,
            offset: plan.offset, continuesFile: continuesFile(plan),
            wantsHeadAlone: options.content.isHead,
            timeCondition: plan.request.value(forHTTPHeaderField: "Range") == nil ? timeCondition : nil)
    }

    /// Those of the request's content and of the response's.
    private func progress(
        of plan: PlannedFetch
    ) -> (upload: (any TransferProgress)?, response: (any TransferProgress)?) {
        if isDownload(plan) { return (nil, messages.showsProgress ? ProgressDisplay(.beforeResult) : nil) }
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
                expected: isCoded
                    ? nil : response?.bodyLength(answering: asked).map { $0 &+ Int(clamping: contents.offset) })
        }
    }

    /// The length of what a download that failed has left; nil if it cannot be resumed.
    private static func keptLength(_ error: any Error) -> Int64? {
        (error as? SessionError)?.resumeData.flatMap { try? ResumeData($0).countOfBytesReceived }
    }

    private static func summary(of download: Transcript.Contents) -> String {
        let seconds = download.metrics.flatMap { metrics in metrics.end.map { $0.seconds(since: metrics.start) } } ?? 0
        let amount = ProgressLine.amount(Int64(download.bodySize), since: download.offset, seconds: seconds)
        return "\(download.path ?? ""): \(amount)\(download.offset > 0 ? ", from byte \(download.offset) on" : "")"
    }

    /// Whether a file whose body breaks off is continued where it stopped: not behind heads, and not a part that `-H` asks
    /// for.
    private func continuesFile(_ plan: PlannedFetch) -> Bool {
        options.output.resumption == .lengthOfFile && headCopies(of: plan) == 0 && plan.request.httpMethod == "GET"
            && (plan.offset != nil || plan.request.headers["Range"] == nil)
            && plan.path.flatMap(OutputTarget.regularFile) != nil
    }

    /// As in curl: the error, if it would be one without a retry, and what follows from it.
    private func lines(
        about retry: RetryMetrics, _ contents: Transcript.Contents, isContinued: Bool, _ task: SessionTask,
        _ plan: PlannedFetch
    ) -> [String] {
        meter?.clear()
        var (contents, isError) = (contents, true)
        switch retry.cause {
        case .status(let status):
            contents.error = RefusedResponse.status(status)
            isError = options.output.fails || options.output.failsWithBody || options.file != nil
        case .failure(let reason): contents.error = task.error(reason, phase: contents.response == nil ? .head : .body)
        }
        guard let failure = failure(of: contents, plan) else { return [] }
        let notice = RetryNotice(retry, failure, of: plan.request)
        let isThrownAway = plan.fileRules.existing == .append && !isContinued && contents.bodySize > 0
        return [
            isError && messages.tellsErrors ? failure.line : nil, messages.isVerbose ? notice.verbose : nil,
            messages.isSilent ? nil : notice.warning,
            isThrownAway && !messages.isSilent ? "Throwing away \(contents.bodySize) bytes" : nil,
        ].compactMap(\.self)
    }

    private func tell(_ line: String) {
        meter?.clear()
        StandardStreams.tell(line)
    }

    private func report(_ contents: Transcript.Contents, of plan: PlannedFetch) throws {
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
            if let length = Self.keptLength(failure.error) {
                tell("tern: \(length) bytes are kept; the same command with -C - resumes there")
            }
        } else if failure == nil, isDownload(plan), !messages.isSilent {
            tell("tern: \(Self.summary(of: contents))")
        }
        try writeOut?.write(TransferReport(plan: plan, contents: contents, failure: failure))
    }
}
