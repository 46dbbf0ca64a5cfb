// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import TernEngine
import TernFiles

/// `tern download`: saves a URL as a file, completely or not at all, and resumes interrupted downloads.
struct DownloadCommand: ToolCommand {
    static var table: OptionTable<Self> {
        OptionTable(
            .operand("url", help: "An http or https URL.") { $0.url = $1.text },
            .group(\.file, "File"),
            .group(\.fields, "Header fields"),
            .group(\.transfer, "Redirects, retries, limits"),
            .group(\.rate, "Redirects, retries, limits"),
            .group(\.record, "Output"),
            .group(\.trust, "Trust"),
            .group(\.accepted, "Accepted, without effect"))
    }

    static let name = "download"
    static let abstract = "Save a URL's response as a file."
    static let endsLikeCurl = true
    static let discussion = """
        The file appears, or is replaced, when it is complete and matches --sha256. Redirects are followed, but \
        not from https to http. A response other than a success (2xx) is an error. An interrupted download is kept \
        beside the file, as .name.tern-part, if the server can resume it; -C - does.
        """

    var url = ""
    var file = DownloadFileOptions()
    var fields = FieldOptions()
    var transfer = TransferOptions()
    var rate = RateOptions()
    var record = RecordOptions()
    var trust = TrustOptions()
    var accepted = AcceptedOptions()

    func validate() throws {
        try InputFile.checkStandardInput(fields.inputs)
        if fields.isCompressed {
            throw UsageError("--compressed: a download is saved as it is sent, so that it can be resumed")
        }
        if transfer.continueTimeout != nil {
            throw UsageError("--expect100-timeout needs a body, and there is none")
        }
        if transfer.maximumBodySize != nil, file.continues {
            throw UsageError(
                "--max-filesize would limit the rest that -C - requests, not the file: give one of them")
        }
    }

    func run() async throws {
        let target = try RequestedURL(argument: url)
        try transfer.schemes.check(target)
        let builder = try RequestBuilder(fields, trust, transfer, range: file.range)
        let recorder = try RunRecorder(record)
        let sessions = SessionRegistry(
            isSilent: file.isSilent, rate: rate.requestRate, observers: recorder.observers)
        let session = try sessions.session(for: builder.session)
        var request = try builder.request(for: target, in: session.configuration)
        if !transfer.isFollowing { request.redirectPolicy = TransferOptions.usualRedirects }
        do {
            try await download(target, request, session)
        } catch {
            try? sessions.save()
            try? recorder.write()
            throw error
        }
        try sessions.save()
        try recorder.write()
    }

    private func download(_ target: RequestedURL, _ request: URLRequest, _ session: Session) async throws {
        if let path = file.output, try DownloadFileOptions.isWrittenThrough(path) {
            return try await writeThrough(request, to: path, session)
        }
        let place = try file.target(of: target)
        if file.continues, file.sha256 == nil, !file.usesReprDigest, let place, let existing = ExistingFile(at: place),
            try await existing.isComplete(as: request, session)
        {
            if !file.isSilent { StandardStreams.tell("tern: \(existing.path): complete already") }
            return
        }
        let downloader = Downloader(
            session: session, request: request, file: file, retries: transfer.retryRule,
            limit: transfer.maximumBodySize?.bytes, redirectSchemes: transfer.schemes.redirectSchemes)
        let status = try await downloader.download(to: place)
        if status != .success { throw ExitCode(status.rawValue) }
    }

    /// A target that cannot be replaced cannot be restored either: devices, FIFOs, standard output.
    private func writeThrough(_ request: URLRequest, to path: String, _ session: Session) async throws {
        try file.checkWrittenThrough(path, retries: transfer.retries)
        let transcript = Transcript(
            .write(to: BodyWriter(sink: try BodySink(path: path)), headCopies: 0), verbose: nil,
            rules: ResponseRules(
                refusesErrors: true, maximumBodySize: transfer.maximumBodySize?.bytes,
                redirectSchemes: transfer.schemes.redirectSchemes), progress: nil)
        await transcript.record(session.dataTask(with: request, delegate: transcript))
        guard let error = transcript.contents.error else { return }
        if let lost = error as? StandardStreams.WriteError { throw lost }
        let failure = FailureReport(
            error: error, timeouts: request.timeouts,
            url: ((transcript.contents.response?.url ?? request.url)?.absoluteString).map(
                request.sensitiveFields.shown),
            received: transcript.contents.bodySize,
            expected: transcript.contents.response?.bodyLength(answering: request))
        if file.tellsErrors { StandardStreams.tell(failure.line) }
        throw ExitCode(failure.status.rawValue)
    }
}

/// The file that `-C -` finds at its target, without a partial file of tern beside it.
struct ExistingFile {
    let path: String
    let size: Int

    /// Nil if there is no file, an empty one, or a partial file to resume.
    init?(at target: URL) {
        let part = target.deletingLastPathComponent().appending(path: ".\(target.lastPathComponent).tern-part")
        guard FileStatus(of: part.path(percentEncoded: false)) == nil,
            let status = FileStatus(of: target.path(percentEncoded: false)), status.kind == .regular, status.length > 0
        else { return nil }
        (path, size) = (target.relativePath, Int(status.length))
    }

    /// Returns whether the file is as long as the server announces; false also if it announces nothing.
    ///
    /// - Throws: a failure if the lengths differ: the file may be a partial file of another program.
    func isComplete(as request: URLRequest, _ session: Session) async throws -> Bool {
        var question = request
        question.httpMethod = "HEAD"
        let transcript = Transcript(.collect(limit: 0), verbose: nil, rules: ResponseRules(), progress: nil)
        await transcript.record(session.dataTask(with: question, delegate: transcript))
        let contents = transcript.contents
        guard contents.error == nil, let response = contents.response, response.statusCode == 200,
            let total = response.value(forHTTPHeaderField: "Content-Length").flatMap({ Int($0) })
        else { return false }
        if total == size { return true }
        throw CommandFailure(
            .badResumeData,
            "\(path) has \(size) bytes, the server's file has \(total), and no download of tern left it: remove it, "
                + "or omit -C - to replace it")
    }
}
